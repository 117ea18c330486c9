package io.arbiter.client.cases;

import com.google.protobuf.Message;
import io.arbiter.client.cases.CaseAnswer.WrongAnswer;
import io.arbiter.v1.Answer;
import io.arbiter.v1.Call;
import io.arbiter.v1.EvaluateBatchRequest;
import io.arbiter.v1.EvaluateBatchResponse;
import io.arbiter.v1.EvaluateRequest;
import io.arbiter.v1.EvaluateResponse;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs cases: each on its own, and all of them as items of batches and of a stream. */
final class CaseRunner {
    /** Items per {@code EvaluateBatch}, well below the limit of the service. */
    private static final int BATCH = 100;

    /** The failures, as text. */
    final List<String> failures = new ArrayList<>();

    private final Channel channel;
    private final List<Item> items = new ArrayList<>();
    private int passed;

    /** A case that can be an item, and its answer on its own. */
    private record Item(Case testCase, Call call, CaseAnswer alone) {}

    CaseRunner(Channel channel) {
        this.channel = channel;
    }

    void run(List<Case> cases) throws InvalidCase {
        cases.forEach(this::runAlone);
        compare("EvaluateBatch", sendBatches());
        compare("Evaluate", sendStream());
    }

    String summary() {
        return passed + " cases passed; " + items.size()
                + " of them were also sent as items of a batch and of a stream";
    }

    private void runAlone(Case testCase) {
        try {
            CaseAnswer answer = send(testCase);
            Optional<String> difference = answer.differenceTo(testCase.expected());
            if (difference.isPresent()) {
                throw new WrongAnswer(difference.get());
            }
            passed++;
            if (!testCase.rpc().isStream()) {
                Message request = testCase.request().get(0);
                testCase.rpc().toCall(request).ifPresent(call -> items.add(new Item(testCase, call, answer)));
            }
        } catch (WrongAnswer | RuntimeException error) {
            failures.add(testCase.name() + "\n" + error.getMessage());
        }
    }

    private CaseAnswer send(Case testCase) throws WrongAnswer {
        try {
            return CaseAnswer.read(testCase, testCase.rpc().call(channel, testCase.request()));
        } catch (StatusRuntimeException refused) {
            return CaseAnswer.read(refused);
        }
    }

    private List<Answer> sendBatches() throws InvalidCase {
        List<Answer> answers = new ArrayList<>();
        for (int start = 0; start < items.size(); start += BATCH) {
            EvaluateBatchRequest.Builder batch = EvaluateBatchRequest.newBuilder();
            items.subList(start, Math.min(start + BATCH, items.size())).forEach(item -> batch.addCalls(item.call));
            Message response = Rpc.find("EvaluateBatch")
                    .call(channel, List.of(batch.build()))
                    .get(0);
            answers.addAll(((EvaluateBatchResponse) response).getAnswersList());
        }
        return answers;
    }

    private List<Answer> sendStream() throws InvalidCase {
        List<Message> requests = new ArrayList<>();
        items.forEach(item ->
                requests.add(EvaluateRequest.newBuilder().setCall(item.call).build()));
        return Rpc.find("Evaluate").call(channel, requests).stream()
                .map(response -> ((EvaluateResponse) response).getAnswer())
                .toList();
    }

    private void compare(String call, List<Answer> answers) {
        if (answers.size() != items.size()) {
            failures.add(call + " returned " + answers.size() + " answers for " + items.size() + " items");
            return;
        }
        for (int index = 0; index < answers.size(); index++) {
            Item item = items.get(index);
            try {
                Optional<String> difference =
                        CaseAnswer.readItem(item.testCase, answers.get(index)).differenceTo(item.alone);
                if (difference.isPresent()) {
                    throw new WrongAnswer(difference.get());
                }
            } catch (WrongAnswer error) {
                failures.add(item.testCase.name() + ", as an item of " + call + "\n" + error.getMessage());
            }
        }
    }
}
