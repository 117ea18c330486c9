package io.arbiter.client.cases;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.arbiter.client.support.ArbiterServer;
import io.arbiter.client.support.Repository;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the cases of {@code tests/cases}, and checks that a wrong expected answer is a failure. */
class CasesTest {
    @AutoClose
    private static final ArbiterServer SERVER = ArbiterServer.start();

    @AutoClose("shutdownNow")
    private static final ManagedChannel CHANNEL = Grpc.newChannelBuilder(
                    SERVER.target(), InsecureChannelCredentials.create())
            .build();

    @Test
    void cases() throws Exception {
        CaseReader reader = new CaseReader();
        List<Case> cases = reader.readAll(Repository.ROOT.resolve("tests/cases"));
        assertFalse(cases.isEmpty(), "there are no cases");
        CaseRunner runner = new CaseRunner(CHANNEL);
        runner.run(cases);
        System.out.println(runner.summary());
        report(reader.errors, runner.failures);
    }

    private static void report(List<String> errors, List<String> failures) {
        int count = errors.size() + failures.size();
        assertTrue(
                count == 0,
                () -> "\n" + String.join("\n\n", errors) + "\n" + String.join("\n\n", failures) + "\n\n" + count
                        + " failures");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'status': 'OK', 'response': {}",
                "'status': 'OK', 'response': {'verdict': 'VERDICT_LEGAL'}",
                "'status': 'OK', 'response': {'verdict': 'VERDICT_ILLEGAL'}",
                "'status': 'OK', 'ignore': ['reasons.message', 'reasons.clause'], 'response': {'verdict': 'VERDICT_ILLEGAL',"
                        + " 'reasons': [{'code': 'ERROR_REASON_GAME_OVER', 'field': 'move.notation'}]}",
                "'status': 'INVALID_ARGUMENT', 'reasons': [{'code': 'ERROR_REASON_COLUMN_FULL', 'field': 'move.notation'}]",
            })
    void anotherAnswerIsAFailure(String expected) throws Exception {
        assertFails("'rpc': 'ValidateMove'", expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'status': 'OK', 'response': {}",
                "'status': 'INVALID_ARGUMENT', 'reasons': [{'code': 'ERROR_REASON_COLUMN_FULL', 'field': 'move.notation'}]",
                "'status': 'FAILED_PRECONDITION', 'reasons':"
                        + " [{'code': 'ERROR_REASON_GAME_OVER', 'field': 'move.notation', 'clause': 'C4-2'}]",
                "'status': 'FAILED_PRECONDITION', 'reasons':"
                        + " [{'code': 'ERROR_REASON_COLUMN_FULL', 'field': 'move', 'clause': 'C4-2'}]",
                "'status': 'FAILED_PRECONDITION', 'reasons':"
                        + " [{'code': 'ERROR_REASON_COLUMN_FULL', 'field': 'move.notation', 'clause': 'C4-3'}]",
                "'status': 'FAILED_PRECONDITION', 'reasons':"
                        + " [{'code': 'ERROR_REASON_COLUMN_FULL', 'field': 'move.notation', 'clause': 'C4-2', 'message': 'x'}]",
                "'status': 'FAILED_PRECONDITION', 'move_index': 0, 'reasons':"
                        + " [{'code': 'ERROR_REASON_COLUMN_FULL', 'field': 'move.notation', 'clause': 'C4-2'}]",
            })
    void anotherRefusalIsAFailure(String expected) throws Exception {
        assertFails("'rpc': 'ApplyMove'", expected);
    }

    /** The same case with the correct answer: the others fail only because of their expected answer. */
    @Test
    void theExpectedRefusalIsNotAFailure() throws Exception {
        String correct = "'status': 'FAILED_PRECONDITION', 'reasons':"
                + " [{'code': 'ERROR_REASON_COLUMN_FULL', 'field': 'move.notation', 'clause': 'C4-2'}]";
        report(List.of(), run("'rpc': 'ApplyMove'", correct));
    }

    private static void assertFails(String rpc, String expected) throws Exception {
        assertFalse(run(rpc, expected).isEmpty(), expected);
    }

    /** Runs one case: a move into a full column. */
    private static List<String> run(String rpc, String expected) throws Exception {
        String request = "'request': {'state': {'notation': '444444'}, 'move': {'notation': '4'}}";
        CaseReader reader = new CaseReader();
        List<Case> cases = reader.readFile("x", CaseReaderTest.file(rpc, request, expected));
        assertTrue(reader.errors.isEmpty(), reader.errors::toString);
        CaseRunner runner = new CaseRunner(CHANNEL);
        runner.run(cases);
        return runner.failures;
    }
}
