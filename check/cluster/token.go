package cluster

import "context"

type tokenKey struct{}

// Token returns the fencing token of the work that ctx belongs to: the age under
// which Gate.Acquire or Gate.Enter let it in. Pass it to the resource that is
// written to, and have that refuse tokens smaller than the largest it has seen.
// Nothing else stops work that was frozen between its check and its effect. ok is
// false for work that passed no gate, or the gate of a node that works alone.
func Token(ctx context.Context) (token uint64, ok bool) {
	if ctx == nil {
		return 0, false
	}
	token, _ = ctx.Value(tokenKey{}).(uint64)
	return token, token != 0
}

// withToken replaces the token of an outer gate, too.
func withToken(ctx context.Context, token uint64) context.Context {
	return context.WithValue(ctx, tokenKey{}, token)
}
