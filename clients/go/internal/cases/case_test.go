package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// testCase is one request and its expected answer.
type testCase struct {
	name   string
	method protoreflect.MethodDescriptor
	// The messages to send: one, unless the call is a stream.
	request []proto.Message
	// The paths of the fields of the response that must be present with any value.
	ignored  [][]protoreflect.FieldDescriptor
	expected answer
}

type fileJSON struct {
	About string     `json:"about"`
	Cases []caseJSON `json:"cases"`
}

type caseJSON struct {
	Name      string          `json:"name"`
	Clause    *string         `json:"clause"`
	RPC       string          `json:"rpc"`
	Request   json.RawMessage `json:"request"`
	Status    string          `json:"status"`
	Response  json.RawMessage `json:"response"`
	Ignore    []string        `json:"ignore"`
	Reasons   []reasonJSON    `json:"reasons"`
	MoveIndex *uint32         `json:"move_index"`
}

type reasonJSON struct {
	Code    string  `json:"code"`
	Field   *string `json:"field"`
	Clause  *string `json:"clause"`
	Message *string `json:"message"`
}

// The statuses of refusals.
var statuses = map[string]codes.Code{
	"INVALID_ARGUMENT":    codes.InvalidArgument,
	"FAILED_PRECONDITION": codes.FailedPrecondition,
	"RESOURCE_EXHAUSTED":  codes.ResourceExhausted,
	"UNIMPLEMENTED":       codes.Unimplemented,
}

// readFile reads the cases of one file. It is strict, so that a typo is an error instead of a test of nothing.
func readFile(text []byte) ([]testCase, []error) {
	var file fileJSON
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := errors.Join(checkKeys(text), decoder.Decode(&file)); err != nil {
		return nil, []error{err}
	}
	if file.About == "" || len(file.Cases) == 0 {
		return nil, []error{errors.New("a file needs an about and at least one case")}
	}
	var (
		cases []testCase
		errs  []error
		names = map[string]bool{}
	)
	for _, written := range file.Cases {
		read, err := written.read()
		if names[written.Name] {
			err = errors.New("there are two cases with this name")
		}
		names[written.Name] = true
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", written.Name, err))
		} else {
			cases = append(cases, read)
		}
	}
	return cases, errs
}

// checkKeys rejects what Go's JSON decoder accepts: duplicate keys, keys with upper-case letters, and text after the end.
func checkKeys(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var check func() error
	check = func() error {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		opened, isList := token.(json.Delim)
		keys := map[string]bool{}
		for isList && decoder.More() {
			if opened == '{' {
				token, err := decoder.Token()
				if err != nil {
					return err
				}
				key := token.(string)
				if keys[key] || strings.ContainsFunc(key, unicode.IsUpper) {
					return fmt.Errorf("the key %q is a duplicate, or not in lower case", key)
				}
				keys[key] = true
			}
			if err := check(); err != nil {
				return err
			}
		}
		if isList {
			_, err = decoder.Token()
		}
		return err
	}
	if err := check(); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("there is text after the end of the JSON value")
	}
	return nil
}

func (w *caseJSON) read() (read testCase, err error) {
	if w.Name == "" {
		return read, errors.New("a case needs a name")
	}
	if w.Clause != nil && !strings.Contains(*w.Clause, "-") {
		return read, errors.New("a clause has the form of C4-2")
	}
	read = testCase{name: w.Name, method: rpc(w.RPC)}
	if read.method == nil {
		return read, fmt.Errorf("there is no call %q", w.RPC)
	}
	read.request, err = readMessages(read.method.Input(), read.method.IsStreamingClient(), w.Request)
	if err != nil {
		return read, err
	}
	for _, path := range w.Ignore {
		fields, err := readPath(read.method.Output(), path)
		if err != nil {
			return read, err
		}
		read.ignored = append(read.ignored, fields)
	}
	if w.Status == "OK" {
		read.expected.messages, err = w.readResponse(read)
	} else {
		read.expected.refusal, err = w.readRefusal()
	}
	return read, err
}

func (w *caseJSON) readResponse(read testCase) ([]proto.Message, error) {
	if w.Reasons != nil || w.MoveIndex != nil {
		return nil, errors.New("reasons and move_index are only for a refusal")
	}
	if w.Response == nil {
		return nil, errors.New("OK needs a response")
	}
	messages, err := readMessages(read.method.Output(), read.method.IsStreamingServer(), w.Response)
	if err != nil {
		return nil, err
	}
	for _, message := range messages {
		if there, _ := removeFields(message, read.ignored); there > 0 {
			return nil, errors.New("an ignored field must not be in the response")
		}
	}
	return messages, nil
}

func (w *caseJSON) readRefusal() (*arbiterv1.Refusal, error) {
	code, known := statuses[w.Status]
	switch {
	case !known:
		return nil, fmt.Errorf("there is no status %q", w.Status)
	case w.Response != nil || len(w.Ignore) > 0:
		return nil, errors.New("response and ignore are only for OK")
	case len(w.Reasons) == 0:
		return nil, errors.New("a refusal needs reasons")
	case w.MoveIndex != nil && code != codes.FailedPrecondition:
		return nil, errors.New("move_index is only for FAILED_PRECONDITION")
	}
	refusal := &arbiterv1.Refusal{Code: int32(code), MoveIndex: w.MoveIndex}
	for _, written := range w.Reasons {
		reason, err := written.read(code)
		if err != nil {
			return nil, err
		}
		refusal.Reasons = append(refusal.Reasons, reason)
	}
	return refusal, nil
}

// read reads a reason. Its message is empty if the case has none: then any message is accepted.
func (w *reasonJSON) read(code codes.Code) (*arbiterv1.Reason, error) {
	number := arbiterv1.ErrorReason_value[w.Code]
	if number == 0 {
		return nil, fmt.Errorf("there is no reason %q", w.Code)
	}
	hasField := code == codes.InvalidArgument || code == codes.FailedPrecondition
	hasClause := code == codes.FailedPrecondition
	if (w.Field != nil) != hasField || (w.Clause != nil) != hasClause {
		return nil, fmt.Errorf("a reason of %s has field: %t, clause: %t", code, hasField, hasClause)
	}
	if w.Message != nil && *w.Message == "" {
		return nil, errors.New("a message must not be empty")
	}
	text := func(written *string) string {
		if written == nil {
			return ""
		}
		return *written
	}
	return &arbiterv1.Reason{
		Code: arbiterv1.ErrorReason(number), Field: text(w.Field), Clause: text(w.Clause), Message: text(w.Message),
	}, nil
}

// readMessages reads requests or responses: a list of messages for a stream, otherwise one.
func readMessages(kind protoreflect.MessageDescriptor, isStream bool, text []byte) ([]proto.Message, error) {
	items := []json.RawMessage{text}
	if isStream {
		items = nil
		if err := json.Unmarshal(text, &items); err != nil || items == nil {
			return nil, errors.New("the messages of a stream are a list")
		}
	}
	messages := []proto.Message{}
	for _, item := range items {
		message := newMessage(kind)
		if err := protojson.Unmarshal(item, message); err != nil {
			return nil, fmt.Errorf("not a valid %s: %w", kind.FullName(), err)
		}
		messages = append(messages, message)
	}
	return messages, nil
}

// readPath reads the path of a field, such as games.summary.
func readPath(kind protoreflect.MessageDescriptor, path string) ([]protoreflect.FieldDescriptor, error) {
	var fields []protoreflect.FieldDescriptor
	for name := range strings.SplitSeq(path, ".") {
		if kind == nil || kind.Fields().ByName(protoreflect.Name(name)) == nil {
			return nil, fmt.Errorf("%q: there is no field %q", path, name)
		}
		field := kind.Fields().ByName(protoreflect.Name(name))
		fields = append(fields, field)
		kind = field.Message()
	}
	return fields, nil
}

// rpc returns the method with that name, or nil.
func rpc(name string) protoreflect.MethodDescriptor {
	services := arbiterv1.File_arbiter_v1_rules_service_proto.Services()
	return services.ByName("RulesService").Methods().ByName(protoreflect.Name(name))
}

// newMessage returns an empty message of the generated type.
func newMessage(kind protoreflect.MessageDescriptor) proto.Message {
	generated, err := protoregistry.GlobalTypes.FindMessageByName(kind.FullName())
	if err != nil {
		panic(err)
	}
	return generated.New().Interface()
}
