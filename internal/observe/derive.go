package observe

import "sync"

// derived keeps what has been made of an observation.
type derived struct {
	mu     sync.Mutex
	values map[any]any
}

// Derive returns what compute makes of an observation, so that rules which need the same thing share the work of finding it: for an
// observation that Decode made it is computed once for each key, for any other (a test's) each time. Keys are compared as those of a
// context are and should be of a type of their own. The result must depend on o only, and nobody may change it, nor o after Decode.
func Derive[T any](o *Observation, key any, compute func() T) T {
	if o.derived == nil {
		return compute()
	}
	o.derived.mu.Lock()
	v, ok := o.derived.values[key]
	o.derived.mu.Unlock()
	if ok {
		return v.(T)
	}
	t := compute() // not under the lock: it may derive in its turn
	o.derived.mu.Lock()
	defer o.derived.mu.Unlock()
	o.derived.values[key] = t
	return t
}
