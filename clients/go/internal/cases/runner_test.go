package cases

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
)

func TestInvalidFileIsRejected(t *testing.T) {
	for _, text := range []string{
		``, `{}`, `{"about": "x", "cases": []}`, `{"about": "", "cases": [], "more": 1}`,
		`{"about": "x", "cases": [{"name": "x", "rpc": "ListGames", "request": {}, "status": "OK", "response": {}}]} {}`,
	} {
		if _, errs := readFile([]byte(text)); len(errs) == 0 {
			t.Errorf("%s is accepted", text)
		}
	}
}

func TestInvalidCaseIsRejected(t *testing.T) {
	ok := `"rpc": "NewGame", "request": {}, "status": "OK"`
	refused := `"rpc": "NewGame", "request": {}, "status": "FAILED_PRECONDITION"`
	for _, invalid := range []struct{ text, because string }{
		{`"rpc": "NewGame", "request": {}`, "there is no status"},
		{ok, "needs a response"},
		{refused + `, "reasons": []`, "needs reasons"},
		{refused + `, "reasons": [{"code": "ERROR_REASON_NONE"}]`, "no reason"},
		{refused + `, "reasons": [{"code": "ERROR_REASON_GAME_OVER", "field": "x"}]`, "clause: true"},
		{refused + `, "reasons": [{"code": "ERROR_REASON_GAME_OVER", "why": "x"}]`, "why"},
		{refused + `, "reasons": [], "response": {}`, "only for OK"},
		{ok + `, "response": {}, "move_index": 1`, "only for a refusal"},
		{ok + `, "response": {}, "expect": 1`, "expect"},
		{ok + `, "Response": {}`, "lower case"},
		{ok + `, "response": {}, "response": {}`, "duplicate"},
		{ok + `, "response": {"sead": "1"}`, "sead"},
		{ok + `, "response": {}, "ignore": ["sead"]`, "sead"},
		{ok + `, "response": {"seed": "1"}, "ignore": ["seed"]`, "must not be in the response"},
		{`"rpc": "NoSuchCall", "request": {}, "status": "OK", "response": {}`, "no call"},
		{`"rpc": "NewGame", "request": {"sead": "1"}, "status": "OK", "response": {}`, "sead"},
		{`"rpc": "NewGame", "request": {"connectFour": {}}, "status": "OK", "response": {}`, "connectFour"},
		{`"rpc": "Evaluate", "request": {}, "status": "OK", "response": []`, "a list"},
	} {
		text := fmt.Sprintf(`{"about": "x", "cases": [{"name": "x", %s}]}`, invalid.text)
		_, errs := readFile([]byte(text))
		if err := errors.Join(errs...); err == nil || !strings.Contains(err.Error(), invalid.because) {
			t.Errorf("%s\nshould be rejected because of %q: %v", invalid.text, invalid.because, err)
		}
	}
}

func TestDuplicateNameIsRejected(t *testing.T) {
	one := `{"name": "x", "rpc": "ListGames", "request": {}, "status": "OK", "response": {}}`
	cases, errs := readFile(fmt.Appendf(nil, `{"about": "x", "cases": [%s, %s]}`, one, one))
	if len(cases) != 1 || len(errs) != 1 {
		t.Errorf("%d accepted and %d rejected", len(cases), len(errs))
	}
}

func TestUnexpectedAnswerIsAFailure(t *testing.T) {
	client, err := arbiter.NewClient(address)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	legal := `"rpc": "ValidateMove", "request": {"state": {"notation": "4"}, "move": {"notation": "4"}}`
	full := `"rpc": "ApplyMove", "request": {"state": {"notation": "444444"}, "move": {"notation": "4"}}`
	game := `"rpc": "NewGame", "request": {"connect_four": {}, "form": 2, "seed": "1"}, "status": "OK"`
	reason := `{"code": "ERROR_REASON_COLUMN_FULL", "field": "move.notation", "clause": "C4-2"`
	refused := full + `, "status": "FAILED_PRECONDITION"`
	for _, example := range []struct {
		text  string
		right bool
	}{
		{legal + `, "status": "OK", "response": {"verdict": "VERDICT_LEGAL"}`, true},
		{legal + `, "status": "OK", "response": {"verdict": "VERDICT_ILLEGAL"}`, false},
		{legal + `, "status": "OK", "response": {}`, false},
		{legal + `, "status": "FAILED_PRECONDITION", "reasons": [` + reason + `}]`, false},
		{refused + `, "reasons": [` + reason + `}]`, true},
		{refused + `, "reasons": [` + reason + `, "message": "column 4 is full"}]`, true},
		{refused + `, "reasons": [` + reason + `, "message": "column 5 is full"}]`, false},
		{refused + `, "reasons": [` + reason + `}, ` + reason + `}]`, false},
		{refused + `, "reasons": [{"code": "ERROR_REASON_GAME_OVER", "field": "move.notation", "clause": "C4-2"}]`, false},
		{refused + `, "reasons": [` + reason + `}], "move_index": 0`, false},
		{full + `, "status": "INVALID_ARGUMENT", "reasons": [{"code": "ERROR_REASON_COLUMN_FULL", "field": "move.notation"}]`, false},
		{full + `, "status": "OK", "response": {}`, false},
		{game + `, "response": {"state": {"notation": "c4:7x6x4:"}}, "ignore": ["seed"]`, true},
		{game + `, "response": {"state": {"notation": "c4:7x6x4:"}}`, false},
		{game + `, "response": {"state": {"notation": "c4:7x6x4:"}, "seed": "1"}, "ignore": ["state.connect_four"]`, false},
		{`"rpc": "Evaluate", "request": [], "status": "OK", "response": []`, true},
		{`"rpc": "Evaluate", "request": [], "status": "OK", "response": [{}]`, false},
	} {
		cases, errs := readFile(fmt.Appendf(nil, `{"about": "x", "cases": [{"name": "x", %s}]}`, example.text))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		messages, err := send(t.Context(), client, cases[0])
		answer, err := readAnswer(cases[0], messages, err)
		if err == nil {
			err = answer.check(cases[0].expected)
		}
		if (err == nil) != example.right {
			t.Errorf("%s\nshould be right: %t, but is: %v", example.text, example.right, err)
		}
	}
}

func TestRefusalWithoutDetailsIsAFailure(t *testing.T) {
	cases, _ := readFile([]byte(`{"about": "x", "cases": [{"name": "x", "rpc": "ListGames", "request": {},
		"status": "UNIMPLEMENTED", "reasons": [{"code": "ERROR_REASON_CALL_NOT_AVAILABLE"}]}]}`))
	if _, err := readAnswer(cases[0], []proto.Message{}, status.Error(codes.Unimplemented, "no")); err == nil {
		t.Error("a status without details is accepted as a refusal")
	}
}
