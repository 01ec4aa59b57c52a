package tiers

// MountOption says where and how Mount and Endpoints serve the tiers.
type MountOption interface{ applyMount(*mountConfig) }

// HandlerOption is a MountOption that Handler takes, too.
type HandlerOption interface {
	MountOption
	applyHandler(*handler)
}

type mountConfig struct {
	paths   [len(order)]string
	asked   tierMask // the tiers whose path was set
	handler []HandlerOption
}

type pathOption struct {
	tier Tier
	path string
}

func (o pathOption) applyMount(c *mountConfig) {
	c.paths[o.tier.index()] = o.path
	c.asked |= o.tier.mask()
}

// WithReadyPath serves the ready tier at path instead of DefaultReadyPath.
func WithReadyPath(path string) MountOption { return pathOption{Ready, path} }

// WithActivePath serves the active tier at path instead of DefaultActivePath.
func WithActivePath(path string) MountOption { return pathOption{Active, path} }

// WithLivePath serves the live tier at path instead of DefaultLivePath.
func WithLivePath(path string) MountOption { return pathOption{Live, path} }

// WithStartupPath serves the opt-in startup tier at path, whether or not it has
// checks. DefaultStartupPath is where it is served when it has some.
func WithStartupPath(path string) MountOption { return pathOption{Startup, path} }

// WithWedgedPath serves the opt-in wedged tier at path, whether or not it has
// checks. DefaultWedgedPath is where it is served when it has some.
func WithWedgedPath(path string) MountOption { return pathOption{Wedged, path} }

type writerOption struct{ write ResponseWriter }

func (o writerOption) applyMount(c *mountConfig) { c.handler = append(c.handler, o) }

func (o writerOption) applyHandler(h *handler) { h.custom = o.write }

// WithResponseWriter has every tier answered by write instead of WriteJSON
// (S1.43, S1.50); nil is WriteJSON. What it writes is sent when it returns, so
// one that panics half way costs a 500, or on the live tier the plain status,
// and not a broken 200. Until it sets others, the status code and the headers
// are those of WriteJSON.
func WithResponseWriter(write ResponseWriter) HandlerOption { return writerOption{write} }
