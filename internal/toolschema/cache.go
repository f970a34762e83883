package toolschema

import (
	"crypto/sha256"
	"sync"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// cacheKey identifies a schema by its content. Several rules look at the same schemas, and many servers repeat one schema in many tools.
type cacheKey struct {
	dialect Dialect
	sum     [sha256.Size]byte
}

// maxCached bounds a cache. A full cache is emptied: what it holds can always be computed again.
const maxCached = 16384

type cache[T any] struct {
	mutex   sync.Mutex
	entries map[cacheKey]T
}

var reports cache[*Report]

// get returns what compute returned for these bytes before, or computes it.
func (c *cache[T]) get(schema jsondoc.Value, d Dialect, compute func() T) T {
	key := cacheKey{d, sha256.Sum256(schema.Raw())}
	c.mutex.Lock()
	v, ok := c.entries[key]
	c.mutex.Unlock()
	if ok {
		return v
	}
	v = compute()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.entries == nil || len(c.entries) >= maxCached {
		c.entries = map[cacheKey]T{}
	}
	c.entries[key] = v
	return v
}
