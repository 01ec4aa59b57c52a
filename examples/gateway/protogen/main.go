// Command protogen writes the Go code of a .proto file beside it, as protoc with its
// Go plugins does, without a protoc: the compiler is a Go library, and the plugins
// are tools of this module. With -descriptor it prints the file's descriptor instead,
// as text, which is how a version is kept before it is changed.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// plugins write messages and services.
var plugins = []string{"protoc-gen-go", "protoc-gen-go-grpc"}

func main() {
	descriptor := flag.Bool("descriptor", false, "print the descriptor of the file, and write nothing")
	flag.Parse()
	if err := run(context.Background(), flag.Arg(0), *descriptor); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file string, descriptor bool) error {
	if file == "" {
		return errors.New("which .proto file?")
	}
	folder, name := filepath.Split(file)
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{filepath.Clean(folder)}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, name)
	if err != nil {
		return err
	}
	if descriptor {
		parsed := protoutil.ProtoFromFileDescriptor(files[0])
		parsed.SourceCodeInfo = nil
		_, err := os.Stdout.WriteString(prototext.Format(parsed))
		return err
	}
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{name},
		Parameter:      proto.String("paths=source_relative"),
		ProtoFile:      withImports(files[0], map[string]bool{}),
	}
	for _, plugin := range plugins {
		if err := generate(ctx, plugin, request, folder); err != nil {
			return fmt.Errorf("%s: %w", plugin, err)
		}
	}
	return nil
}

// withImports lists a file behind all that it imports, which is the order that
// plugins expect.
func withImports(file protoreflect.FileDescriptor, seen map[string]bool) []*descriptorpb.FileDescriptorProto {
	if seen[file.Path()] {
		return nil
	}
	seen[file.Path()] = true
	var all []*descriptorpb.FileDescriptorProto
	for i := range file.Imports().Len() {
		all = append(all, withImports(file.Imports().Get(i).FileDescriptor, seen)...)
	}
	return append(all, protoutil.ProtoFromFileDescriptor(file))
}

// generate runs a plugin and writes the files it answers with.
func generate(ctx context.Context, plugin string, request *pluginpb.CodeGeneratorRequest, folder string) error {
	input, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "go", "tool", plugin)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		return err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(output, &response); err != nil {
		return err
	}
	if response.Error != nil {
		return errors.New(response.GetError())
	}
	for _, f := range response.GetFile() {
		if err := os.WriteFile(filepath.Join(folder, f.GetName()), []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
