package observe

// Skills is the evidence about Agent Skills that a server offers (SEP-2640).
type Skills struct{}
