package gateway

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/examples/gateway/gatewaypb"
)

// Client is one session of a consumer. Open comes first; a new session is a new
// Client, of the same connection if that is still good.
type Client struct {
	to      gatewaypb.GatewayClient
	session string
}

var _ resubscribe.Client = (*Client)(nil)

// NewClient returns a Client without a session.
func NewClient(c grpc.ClientConnInterface) *Client {
	return &Client{to: gatewaypb.NewGatewayClient(c)}
}

// Open is what resubscribe.OpenSession calls.
func (c *Client) Open(ctx context.Context, commandTimeout time.Duration) (resubscribe.Opened, error) {
	reply, err := c.to.OpenSession(ctx, &gatewaypb.OpenSessionRequest{CommandTimeout: durationpb.New(commandTimeout)})
	if err != nil {
		return resubscribe.Opened{}, err
	}
	c.session = reply.GetSessionId()
	return resubscribe.Opened{
		Capabilities:   reply.GetCapabilities(),
		CommandTimeout: reply.GetCommandTimeout().AsDuration(),
	}, nil
}

// Session is what the server calls the session.
func (c *Client) Session() string { return c.session }

// Close ends the session.
func (c *Client) Close(ctx context.Context) error {
	_, err := c.to.CloseSession(ctx, &gatewaypb.CloseSessionRequest{SessionId: c.session})
	return err
}

// Add adds items.
func (c *Client) Add(ctx context.Context, items []string) ([]resubscribe.Added, error) {
	reply, err := c.to.AddItems(ctx, &gatewaypb.AddItemsRequest{SessionId: c.session, Items: items})
	return answers(reply), err
}

// AdviseSupervisory asks for the changes of one item.
func (c *Client) AdviseSupervisory(ctx context.Context, handle resubscribe.Handle) error {
	reply, err := c.to.AdviseSupervisory(ctx, &gatewaypb.AdviseSupervisoryRequest{SessionId: c.session, Handle: int64(handle)})
	if err != nil {
		return err
	}
	return fault(reply.GetError())
}

// Subscribe adds and advises items.
func (c *Client) Subscribe(ctx context.Context, items []string, supervisory bool) ([]resubscribe.Added, error) {
	reply, err := c.to.SubscribeBulk(ctx, &gatewaypb.SubscribeBulkRequest{
		SessionId: c.session, Items: items, Supervisory: supervisory,
	})
	return answers(reply), err
}

// Watch calls f for each change of the session's items until ctx ends or the stream
// breaks, and returns why.
func (c *Client) Watch(ctx context.Context, f func(h resubscribe.Handle, value float64)) error {
	changes, err := c.to.Changes(ctx, &gatewaypb.ChangesRequest{SessionId: c.session})
	if err != nil {
		return err
	}
	for {
		change, err := changes.Recv()
		if err != nil {
			return err
		}
		f(resubscribe.Handle(change.GetHandle()), change.GetValue())
	}
}

// answers are those of a reply; nil has none.
func answers(reply *gatewaypb.ItemsReply) []resubscribe.Added {
	answers := make([]resubscribe.Added, len(reply.GetItems()))
	for i, item := range reply.GetItems() {
		answers[i] = resubscribe.Added{Handle: resubscribe.Handle(item.GetHandle()), Err: fault(item.GetError())}
	}
	return answers
}

// fault is what the gateway has to say about an item.
func fault(text string) error {
	if text == "" {
		return nil
	}
	return errors.New("gateway: " + text)
}
