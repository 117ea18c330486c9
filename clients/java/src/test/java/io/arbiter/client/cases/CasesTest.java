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

/** Runs the cases of {@code tests/cases}, as the README there says, and holds that a wrong one does fail. */
class CasesTest {
    @AutoClose
    private static final ArbiterServer SERVER = ArbiterServer.start();

    @AutoClose("shutdownNow")
    private static final ManagedChannel CHANNEL = Grpc.newChannelBuilder(
                    SERVER.target(), InsecureChannelCredentials.create())
            .build();

    @Test
    void everyCaseIsAnsweredAsItSays() throws Exception {
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
    void anAnswerOtherThanTheOneWantedFails(String wanted) throws Exception {
        assertFails("'rpc': 'ValidateMove'", wanted);
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
    void aRefusalOtherThanTheOneWantedFails(String wanted) throws Exception {
        assertFails("'rpc': 'ApplyMove'", wanted);
    }

    /** The same case with what is right, so that the others fail for their expectation alone. */
    @Test
    void theRightRefusalIsNoFailure() throws Exception {
        String right = "'status': 'FAILED_PRECONDITION', 'reasons':"
                + " [{'code': 'ERROR_REASON_COLUMN_FULL', 'field': 'move.notation', 'clause': 'C4-2'}]";
        report(List.of(), run("'rpc': 'ApplyMove'", right));
    }

    private static void assertFails(String rpc, String wanted) throws Exception {
        assertFalse(run(rpc, wanted).isEmpty(), wanted);
    }

    /** Runs one case: a token more than fits into a column. */
    private static List<String> run(String rpc, String wanted) throws Exception {
        String request = "'request': {'state': {'notation': '444444'}, 'move': {'notation': '4'}}";
        CaseReader reader = new CaseReader();
        List<Case> cases = reader.readFile("x", CaseReaderTest.file(rpc, request, wanted));
        assertTrue(reader.errors.isEmpty(), reader.errors::toString);
        CaseRunner runner = new CaseRunner(CHANNEL);
        runner.run(cases);
        return runner.failures;
    }
}
