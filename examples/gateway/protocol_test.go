package gateway_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/loopvitals/loopvitals/examples/gateway/gatewaypb"
)

// firstVersion reads the descriptor that never changes.
func firstVersion(t *testing.T) *descriptorpb.FileDescriptorProto {
	t.Helper()
	var file descriptorpb.FileDescriptorProto
	if err := prototext.Unmarshal(gatewaypb.V1, &file); err != nil {
		t.Fatal(err)
	}
	return &file
}

// describe makes a descriptor of its message.
func describe(t *testing.T, file *descriptorpb.FileDescriptorProto) protoreflect.FileDescriptor {
	t.Helper()
	described, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return described
}

// TestProtocolIsAdditive holds the protocol to its first version: nothing removed,
// renumbered, reused or changed (S3.21).
func TestProtocolIsAdditive(t *testing.T) {
	for _, change := range breaking(describe(t, firstVersion(t)), gatewaypb.File_gateway_proto) {
		t.Error(change)
	}
	field := gatewaypb.File_gateway_proto.Messages().ByName("SubscribeBulkRequest").Fields().ByName("supervisory")
	if field == nil || field.Number() != 3 {
		t.Error("SubscribeBulkRequest.supervisory is not field 3")
	}
	if describe(t, firstVersion(t)).Messages().ByName("SubscribeBulkRequest").Fields().ByNumber(3) != nil {
		t.Error("the first version has the field already")
	}
}

// breaking lists what a newer version of a file has done to those who speak the
// older one.
func breaking(older, newer protoreflect.FileDescriptor) (changes []string) {
	say := func(format string, args ...any) { changes = append(changes, fmt.Sprintf(format, args...)) }
	if older.Package() != newer.Package() {
		say("package %s became %s", older.Package(), newer.Package())
	}
	for i := range older.Messages().Len() {
		was := older.Messages().Get(i)
		is := newer.Messages().ByName(was.Name())
		if is == nil {
			say("%s was removed", was.Name())
			continue
		}
		for j := range was.Fields().Len() {
			changes = append(changes, fieldChanges(was.Fields().Get(j), is)...)
		}
	}
	for i := range older.Services().Len() {
		was := older.Services().Get(i)
		is := newer.Services().ByName(was.Name())
		if is == nil {
			say("service %s was removed", was.Name())
			continue
		}
		for j := range was.Methods().Len() {
			m := was.Methods().Get(j)
			if now := is.Methods().ByName(m.Name()); now == nil {
				say("%s was removed", m.Name())
			} else if form(m) != form(now) {
				say("%s became %s", form(m), form(now))
			}
		}
	}
	return changes
}

// fieldChanges compares a field with the one of its number, and with the one of its
// name, since each could be another.
func fieldChanges(was protoreflect.FieldDescriptor, in protoreflect.MessageDescriptor) (changes []string) {
	is := in.Fields().ByNumber(was.Number())
	switch {
	case is == nil:
		changes = append(changes, fmt.Sprintf("%s: number %d was removed", was.FullName(), was.Number()))
	case shape(is) != shape(was):
		changes = append(changes, fmt.Sprintf("%s became %s", shape(was), shape(is)))
	}
	if is := in.Fields().ByName(was.Name()); is != nil && is.Number() != was.Number() {
		changes = append(changes, fmt.Sprintf("%s: number %d became %d", was.FullName(), was.Number(), is.Number()))
	}
	return changes
}

// shape is what both sides must agree on about a field.
func shape(f protoreflect.FieldDescriptor) string {
	kind := f.Kind().String()
	if m := f.Message(); m != nil {
		kind = string(m.FullName())
	}
	oneof := ""
	if of := f.ContainingOneof(); of != nil {
		oneof = " of " + string(of.Name())
	}
	return fmt.Sprintf("%s: %s %s%s", f.FullName(), f.Cardinality(), kind, oneof)
}

// form is what both sides must agree on about a method.
func form(m protoreflect.MethodDescriptor) string {
	return fmt.Sprintf("%s(%s, stream %t) (%s, stream %t)", m.FullName(),
		m.Input().FullName(), m.IsStreamingClient(), m.Output().FullName(), m.IsStreamingServer())
}

// TestBreakingIsSeen breaks the protocol in each way once: a comparison that finds
// nothing would look just as good.
func TestBreakingIsSeen(t *testing.T) {
	message := func(f *descriptorpb.FileDescriptorProto, name string) *descriptorpb.DescriptorProto {
		i := slices.IndexFunc(f.GetMessageType(), func(m *descriptorpb.DescriptorProto) bool { return m.GetName() == name })
		return f.GetMessageType()[i]
	}
	cases := []struct {
		name   string
		change func(f *descriptorpb.FileDescriptorProto)
		breaks bool
	}{
		{"nothing", func(*descriptorpb.FileDescriptorProto) {}, false},
		{"a field more", func(f *descriptorpb.FileDescriptorProto) {
			m := message(f, "SubscribeBulkRequest")
			m.Field = append(m.Field, &descriptorpb.FieldDescriptorProto{
				Name: proto.String("supervisory"), Number: proto.Int32(3),
				Type: descriptorpb.FieldDescriptorProto_TYPE_BOOL.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
			})
		}, false},
		{"a message more", func(f *descriptorpb.FileDescriptorProto) {
			f.MessageType = append(f.MessageType, &descriptorpb.DescriptorProto{Name: proto.String("More")})
		}, false},
		{"a field renumbered", func(f *descriptorpb.FileDescriptorProto) {
			message(f, "SubscribeBulkRequest").Field[1].Number = proto.Int32(3)
		}, true},
		{"two fields swapped", func(f *descriptorpb.FileDescriptorProto) {
			m := message(f, "SubscribeBulkRequest")
			m.Field[0].Number, m.Field[1].Number = m.Field[1].Number, m.Field[0].Number
		}, true},
		{"a number reused", func(f *descriptorpb.FileDescriptorProto) {
			message(f, "SubscribeBulkRequest").Field[1].Name = proto.String("supervisory")
		}, true},
		{"a field removed", func(f *descriptorpb.FileDescriptorProto) {
			m := message(f, "SubscribeBulkRequest")
			m.Field = m.Field[:1]
		}, true},
		{"a type changed", func(f *descriptorpb.FileDescriptorProto) {
			message(f, "ItemReply").Field[0].Type = descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum()
		}, true},
		{"a list made one", func(f *descriptorpb.FileDescriptorProto) {
			message(f, "SubscribeBulkRequest").Field[1].Label = descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
		}, true},
		{"a message removed", func(f *descriptorpb.FileDescriptorProto) {
			message(f, "Change").Name = proto.String("Changed")
			method := f.GetService()[0].GetMethod()
			method[len(method)-1].OutputType = proto.String(".loopvitals.examples.gateway.Changed")
		}, true},
		{"a method removed", func(f *descriptorpb.FileDescriptorProto) {
			f.Service[0].Method = f.GetService()[0].GetMethod()[1:]
		}, true},
		{"a method with another request", func(f *descriptorpb.FileDescriptorProto) {
			f.GetService()[0].GetMethod()[2].InputType = proto.String(".loopvitals.examples.gateway.SubscribeBulkRequest")
		}, true},
		{"a method no longer a stream", func(f *descriptorpb.FileDescriptorProto) {
			method := f.GetService()[0].GetMethod()
			method[len(method)-1].ServerStreaming = proto.Bool(false)
		}, true},
		{"a service removed", func(f *descriptorpb.FileDescriptorProto) { f.Service = nil }, true},
		{"another package", func(f *descriptorpb.FileDescriptorProto) {
			f.Package = proto.String("loopvitals.gateway")
			f.Service = nil
			f.MessageType = f.GetMessageType()[:1]
		}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			changed := firstVersion(t)
			c.change(changed)
			found := breaking(describe(t, firstVersion(t)), describe(t, changed))
			if (len(found) > 0) != c.breaks {
				t.Errorf("found %q", found)
			}
		})
	}
}

// TestGeneratedCodeIsOfTheProtocol compares the code's descriptor with the compiled
// file: after a change, run go generate.
func TestGeneratedCodeIsOfTheProtocol(t *testing.T) {
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{"gatewaypb"}})}
	files, err := compiler.Compile(t.Context(), "gateway.proto")
	if err != nil {
		t.Fatal(err)
	}
	written := protodesc.ToFileDescriptorProto(files[0])
	generated := protodesc.ToFileDescriptorProto(gatewaypb.File_gateway_proto)
	if !proto.Equal(written, generated) {
		t.Errorf("gateway.proto says\n%s\nthe code\n%s", prototext.Format(written), prototext.Format(generated))
	}
}
