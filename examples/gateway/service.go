package gateway

import (
	"context"
	"errors"
	"strconv"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/loopvitals/loopvitals/examples/gateway/gatewaypb"
)

// OpenSession opens a session, and tells which time limit its commands have.
func (s *Server) OpenSession(_ context.Context, r *gatewaypb.OpenSessionRequest) (*gatewaypb.OpenSessionReply, error) {
	limit := s.config.CommandTimeout
	if asked := r.GetCommandTimeout(); asked != nil {
		if limit = asked.AsDuration(); asked.CheckValid() != nil || limit <= 0 {
			return nil, status.Errorf(codes.InvalidArgument, "command_timeout %v: must be above 0", limit)
		}
	}
	if longest := s.config.MaxCommandTimeout; longest > 0 {
		limit = min(limit, longest)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	opened := newSession(strconv.Itoa(s.opened), limit)
	s.sessions[opened.id] = opened
	return &gatewaypb.OpenSessionReply{
		SessionId:      opened.id,
		Capabilities:   s.config.Version.capabilities(),
		CommandTimeout: durationpb.New(limit),
	}, nil
}

// CloseSession forgets a session. Its commands that are queued stay.
func (s *Server) CloseSession(_ context.Context, r *gatewaypb.CloseSessionRequest) (*gatewaypb.CloseSessionReply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, r.GetSessionId())
	return &gatewaypb.CloseSessionReply{}, nil
}

// AddItems makes items known.
func (s *Server) AddItems(ctx context.Context, r *gatewaypb.AddItemsRequest) (*gatewaypb.ItemsReply, error) {
	reply := make([]*gatewaypb.ItemReply, len(r.GetItems()))
	err := s.command(ctx, r.GetSessionId(), len(reply), func(to *session, i int) {
		reply[i] = s.add(to, r.GetItems()[i])
	})
	if err != nil {
		return nil, err
	}
	return &gatewaypb.ItemsReply{Items: reply}, nil
}

// AdviseSupervisory asks for the changes of one item.
func (s *Server) AdviseSupervisory(ctx context.Context, r *gatewaypb.AdviseSupervisoryRequest) (*gatewaypb.AdviseSupervisoryReply, error) {
	reply := &gatewaypb.AdviseSupervisoryReply{}
	err := s.command(ctx, r.GetSessionId(), 1, func(to *session, _ int) {
		item, found := to.name(r.GetHandle())
		if !found {
			reply.Error = "no such handle"
			return
		}
		reply.Error = s.advise(to, item, r.GetHandle(), Supervisory)
	})
	if err != nil {
		return nil, err
	}
	return reply, nil
}

// SubscribeBulk adds and advises items, and takes back those that could not be
// advised.
func (s *Server) SubscribeBulk(ctx context.Context, r *gatewaypb.SubscribeBulkRequest) (*gatewaypb.ItemsReply, error) {
	kind := Plain
	if r.GetSupervisory() {
		kind = Supervisory
	}
	items := r.GetItems()
	reply := make([]*gatewaypb.ItemReply, len(items))
	err := s.command(ctx, r.GetSessionId(), 2*len(items), func(to *session, step int) {
		i := step / 2
		switch {
		case step%2 == 0:
			reply[i] = s.add(to, items[i])
		case reply[i].Error == "":
			if reply[i].Error = s.advise(to, items[i], reply[i].Handle, kind); reply[i].Error != "" {
				to.remove(items[i])
				reply[i].Handle = 0
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return &gatewaypb.ItemsReply{Items: reply}, nil
}

// Changes streams what housekeeping brings.
func (s *Server) Changes(r *gatewaypb.ChangesRequest, to grpc.ServerStreamingServer[gatewaypb.Change]) error {
	from, err := s.session(r.GetSessionId())
	if err != nil {
		return err
	}
	for {
		for _, change := range from.take() {
			if err := to.Send(change); err != nil {
				return err
			}
		}
		select {
		case <-from.changed:
		case <-to.Context().Done():
			return to.Context().Err()
		}
	}
}

// command has the worker do a step for each item, inside the session's time limit.
func (s *Server) command(ctx context.Context, id string, items int, step func(*session, int)) error {
	of, err := s.session(id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, of.limit)
	defer cancel()
	err = s.worker.do(ctx, items, func(i int) { step(of, i) })
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return status.Errorf(codes.DeadlineExceeded, "the command was not done within %v", of.limit)
	case err != nil:
		return status.FromContextError(err).Err()
	}
	return nil
}

// session finds an open one.
func (s *Server) session(id string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.sessions[id]
	if found == nil {
		return nil, status.Errorf(codes.NotFound, "no session %q", id)
	}
	return found, nil
}

// add and advise are steps of the worker.
func (s *Server) add(to *session, item string) *gatewaypb.ItemReply {
	if fault, _ := s.config.Fault(item); fault != "" {
		return &gatewaypb.ItemReply{Error: fault}
	}
	return &gatewaypb.ItemReply{Handle: to.add(item)}
}

func (s *Server) advise(to *session, item string, handle int64, kind Kind) (fault string) {
	if _, fault := s.config.Fault(item); fault != "" {
		return fault
	}
	to.advise(item, kind)
	s.worker.later(func() { to.tell(&gatewaypb.Change{Handle: handle, Value: 1}) })
	return ""
}

// Items returns the items of a session, and how it has subscribed to them. It does
// not ask the worker.
func (s *Server) Items(session string) map[string]Kind {
	s.mu.Lock()
	found := s.sessions[session]
	s.mu.Unlock()
	if found == nil {
		return nil
	}
	return found.snapshot()
}
