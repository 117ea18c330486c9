// Package cases runs the cases of tests/cases: each on its own, and all of them as items of EvaluateBatch and Evaluate,
// where the answers must be the same.
package cases

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
	"github.com/arbiter-referee/arbiter/clients/go/internal/servertest"
)

// Items per EvaluateBatch, well below the limit of the service.
const batch = 100

var address string

func TestMain(m *testing.M) {
	os.Exit(servertest.RunTests(m, &address))
}

// item is a case that can be an item of a batch or a stream.
type item struct {
	testCase
	call  *arbiterv1.Call
	alone answer
}

func TestCases(t *testing.T) {
	client, err := arbiter.NewClient(address, arbiter.WithoutRetry())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()

	cases := readAll(t)
	if len(cases) == 0 {
		t.Fatal("there are no cases")
	}
	var items []item
	passed := 0
	for _, c := range cases {
		messages, err := send(ctx, client, c)
		answer, err := readAnswer(c, messages, err)
		if err == nil {
			err = answer.check(c.expected)
		}
		if err != nil {
			t.Errorf("%s\n%v", c.name, err)
			continue
		}
		passed++
		if call := toCall(c); call != nil {
			items = append(items, item{c, call, answer})
		}
	}
	t.Logf("%d of %d cases passed", passed, len(cases))
	checkItems(t, "EvaluateBatch", items, sendBatches(ctx, t, client, items))
	checkItems(t, "Evaluate", items, sendStream(ctx, t, client, items))
	t.Logf("%d of them were also sent as items of a batch and of a stream", len(items))
}

// readAll reads the cases of all folders. An invalid file is a failure.
func readAll(t *testing.T) (all []testCase) {
	root := filepath.Join(servertest.Root(), "tests/cases")
	files, err := filepath.Glob(filepath.Join(root, "*/*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, _ := filepath.Rel(root, file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases, errs := readFile(text)
		for _, err := range errs {
			t.Errorf("%s: %v", source, err)
		}
		for _, c := range cases {
			c.name = source + ": " + c.name
			all = append(all, c)
		}
	}
	return all
}

// send makes the call of a case with the generated stub, and returns all responses.
func send(ctx context.Context, client *arbiter.Client, c testCase) ([]proto.Message, error) {
	if c.method.IsStreamingClient() {
		return sendAll(ctx, client, c.request)
	}
	method := reflect.ValueOf(client.Stub()).MethodByName(string(c.method.Name()))
	results := method.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(c.request[0])})
	if err, failed := results[1].Interface().(error); failed {
		return nil, err
	}
	return []proto.Message{results[0].Interface().(proto.Message)}, nil
}

// sendAll sends the messages of an Evaluate stream.
func sendAll(ctx context.Context, client *arbiter.Client, messages []proto.Message) ([]proto.Message, error) {
	stream, err := client.Stub().Evaluate(ctx)
	if err != nil {
		return nil, err
	}
	for _, message := range messages {
		if err := stream.SendMsg(message); err != nil && err != io.EOF {
			return nil, err
		}
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	var answers []proto.Message
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			return answers, nil
		}
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
}

// toCall converts the request of a case to an arbiter.v1.Call; nil if it cannot be one.
func toCall(c testCase) *arbiterv1.Call {
	call := &arbiterv1.Call{}
	fields := call.ProtoReflect().Descriptor().Fields()
	for index := range fields.Len() {
		if fields.Get(index).Message() == c.method.Input() {
			request := protoreflect.ValueOfMessage(c.request[0].ProtoReflect())
			call.ProtoReflect().Set(fields.Get(index), request)
			return call
		}
	}
	return nil
}

func sendBatches(ctx context.Context, t *testing.T, client *arbiter.Client, items []item) (answers []arbiter.Answer) {
	for chunk := range slices.Chunk(items, batch) {
		var calls []*arbiterv1.Call
		for _, item := range chunk {
			calls = append(calls, item.call)
		}
		some, err := client.EvaluateBatch(ctx, calls...)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, some...)
	}
	return answers
}

func sendStream(ctx context.Context, t *testing.T, client *arbiter.Client, items []item) (answers []arbiter.Answer) {
	stream, err := client.Evaluate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	go func() {
		for _, item := range items {
			if stream.Send(item.call) != nil {
				return // The number of answers is then wrong.
			}
		}
		stream.CloseSend()
	}()
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			return answers
		}
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
}

// checkItems compares each answer with that of the case on its own.
func checkItems(t *testing.T, rpc string, items []item, answers []arbiter.Answer) {
	if len(answers) != len(items) {
		t.Fatalf("%s returned %d answers for %d items", rpc, len(answers), len(items))
	}
	for index, item := range items {
		answer, err := readItem(item.testCase, answers[index])
		if err == nil {
			err = answer.compare(item.alone)
		}
		if err != nil {
			t.Errorf("%s, as an item of %s\n%v", item.name, rpc, err)
		}
	}
}
