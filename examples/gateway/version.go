package gateway

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/loopvitals/loopvitals/examples/gateway/gatewaypb"
)

// options make a server of this version of one that knows everything.
func (v Version) options() ([]grpc.ServerOption, error) {
	if v == Newest {
		return nil, nil
	}
	known, err := protocolV1()
	if err != nil {
		return nil, err
	}
	return []grpc.ServerOption{grpc.ForceServerCodecV2(firstCodec{CodecV2: encoding.GetCodecV2(grpcproto.Name), known: known})}, nil
}

// protocolV1 reads the protocol's first version.
func protocolV1() (protoreflect.FileDescriptor, error) {
	var file descriptorpb.FileDescriptorProto
	if err := prototext.Unmarshal(gatewaypb.V1, &file); err != nil {
		return nil, fmt.Errorf("gateway: first version: %w", err)
	}
	known, err := protodesc.NewFile(&file, protoregistry.GlobalFiles)
	if err != nil {
		return nil, fmt.Errorf("gateway: first version: %w", err)
	}
	return known, nil
}

// firstCodec reads and writes messages by the protocol's first version, so that what
// came later is dropped, as a program that was built then drops it.
type firstCodec struct {
	encoding.CodecV2
	known protoreflect.FileDescriptor
}

// Unmarshal reads what the first version knows.
func (c firstCodec) Unmarshal(data mem.BufferSlice, v any) error {
	message, known, err := c.describe(v)
	if err != nil {
		return err
	}
	return through(known, data.Materialize(), message)
}

// Marshal writes what the first version knows.
func (c firstCodec) Marshal(v any) (mem.BufferSlice, error) {
	message, known, err := c.describe(v)
	if err != nil {
		return nil, err
	}
	text, err := proto.Marshal(message)
	if err != nil {
		return nil, err
	}
	kept := proto.Clone(message)
	if err := through(known, text, kept); err != nil {
		return nil, err
	}
	return c.CodecV2.Marshal(kept)
}

// describe finds the message in the first version.
func (c firstCodec) describe(v any) (proto.Message, protoreflect.MessageDescriptor, error) {
	message, ok := v.(proto.Message)
	if !ok {
		return nil, nil, fmt.Errorf("gateway: %T is no message", v)
	}
	known := c.known.Messages().ByName(message.ProtoReflect().Descriptor().Name())
	if known == nil {
		return nil, nil, fmt.Errorf("gateway: the first version has no %T", v)
	}
	return message, known, nil
}

// through reads a message with the eyes of a version.
func through(known protoreflect.MessageDescriptor, text []byte, into proto.Message) error {
	old := dynamicpb.NewMessage(known)
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, old); err != nil {
		return err
	}
	kept, err := proto.Marshal(old)
	if err != nil {
		return err
	}
	return proto.Unmarshal(kept, into)
}
