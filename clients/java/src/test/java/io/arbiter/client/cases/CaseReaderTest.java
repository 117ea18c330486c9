package io.arbiter.client.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.arbiter.v1.Reason;
import io.arbiter.v1.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The case reader rejects invalid cases. */
class CaseReaderTest {
    /** A file with one case, from parts in single quotes. */
    static String file(String... parts) {
        String text = "{'about': 'x', 'cases': [{'name': 'x', " + String.join(", ", parts) + "}]}";
        return text.replace('\'', '"');
    }

    private static void assertRejected(String text, String why) {
        CaseReader reader = new CaseReader();
        reader.readFile("x", text.replace('\'', '"'));
        assertEquals(1, reader.errors.size(), text);
        assertTrue(reader.errors.get(0).contains(why), () -> why + " is not in " + reader.errors.get(0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{'about': 'x', 'cases': []}",
                "{'about': '', 'cases': []}",
                "{'about': 'x', 'cases': [], 'more': 1}"
            })
    void anInvalidFileIsRejected(String text) {
        assertRejected(text, "");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'request': {}                                                                | an rpc and a status",
                "'status': 'OK', 'request': {}                                                | needs a response",
                "'status': 'OK', 'response': {}                                               | needs a request",
                "'status': 'OK', 'request': {}, 'response': {}, 'reasons': []                 | only for a refusal",
                "'status': 'INVALID_ARGUMENT', 'request': {}                                  | needs reasons",
                "'status': 'INVALID_ARGUMENT', 'request': {}, 'reasons': []                   | needs reasons",
                "'status': 'INVALID_ARGUMENT', 'request': {}, 'reasons': [], 'response': {}   | only for OK",
                "'status': 'NOT_FOUND', 'request': {}, 'reasons': []                          | there is no status",
                "'status': 'OK', 'request': [], 'response': {}                                | a message is an object",
            })
    void aCaseWithoutAValidExpectedAnswerIsRejected(String parts, String why) {
        assertRejected(file("'rpc': 'ListGames'", parts), why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "NoSuchCall | {}                             | {}            | 'ignore': []       | there is no call",
                "NewGame    | {'sead': '1'}                  | {}            | 'ignore': []       | sead",
                "NewGame    | {}                             | {'sead': '1'} | 'ignore': []       | sead",
                "ViewState  | {'state': {'connectFour': {}}} | {}            | 'ignore': []       | connectFour",
                "NewGame    | {}                             | {}            | 'ignore': ['sead'] | sead",
                "NewGame    | {}                             | {'seed': '1'} | 'ignore': ['seed'] | must not be in",
                "NewGame    | {}                             | {}            | 'expect': 1        | expect",
            })
    void anUnknownNameIsRejected(String rpc, String request, String response, String more, String why) {
        String call = "'rpc': '" + rpc + "', 'status': 'OK', 'request': " + request + ", 'response': " + response;
        assertRejected(file(call, more), why);
    }

    @Test
    void anUnknownReasonIsRejected() {
        String call = "'rpc': 'ListGames', 'request': {}, 'status': 'INVALID_ARGUMENT'";
        assertRejected(file(call, "'reasons': [{'code': 'ERROR_REASON_NONE', 'field': 'x'}]"), "there is no reason");
        assertRejected(file(call, "'reasons': [{'code': 'ERROR_REASON_GAME_OVER'}]"), "has field: true");
        assertRejected(file(call, "'reasons': [{'code': 'ERROR_REASON_GAME_OVER', 'fields': 'x'}]"), "fields");
    }

    @Test
    void aDuplicateNameIsRejected() {
        String each = "{'name': 'x', 'rpc': 'ListGames', 'request': {}, 'status': 'OK', 'response': {}}";
        assertRejected("{'about': 'x', 'cases': [" + each + ", " + each + "]}", "two cases with this name");
    }

    @Test
    void anotherAnswerAsAnItemIsAFailure() {
        CaseAnswer alone = new CaseAnswer(List.of(Refusal.newBuilder()
                .setCode(9)
                .addReasons(Reason.newBuilder().setClause("C4-2"))
                .build()));
        CaseAnswer item = new CaseAnswer(List.of(Refusal.newBuilder()
                .setCode(9)
                .addReasons(Reason.newBuilder().setClause("C4-3"))
                .build()));
        assertTrue(alone.differenceTo(alone).isEmpty());
        assertTrue(item.differenceTo(alone).orElse("").contains("C4-3"));
    }
}
