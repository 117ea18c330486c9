package io.arbiter.client.cases;

import com.google.protobuf.Message;
import io.arbiter.client.cases.CaseAnswer.BadAnswer;
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

/** Sends cases to a service: each on its own, and all of them again as items of many. */
final class CaseRunner {
    /** Items of one {@code EvaluateBatch}: well below what the service takes. */
    private static final int BATCH = 100;

    /** Everything that is not as it should be. */
    final List<String> failures = new ArrayList<>();

    private final Channel channel;
    private final List<Item> items = new ArrayList<>();
    private int answered;

    /** A case that can be an item of many, and the answer it has had on its own. */
    private record Item(Case asked, Call call, CaseAnswer alone) {}

    CaseRunner(Channel channel) {
        this.channel = channel;
    }

    void run(List<Case> cases) throws BadCase {
        cases.forEach(this::runAlone);
        compare("EvaluateBatch", sendBatches());
        compare("Evaluate", sendStream());
    }

    String summary() {
        return answered + " cases are answered as they say; " + items.size()
                + " of them were sent again as items of a batch and of a stream";
    }

    private void runAlone(Case asked) {
        try {
            CaseAnswer answer = send(asked);
            Optional<String> difference = answer.differenceTo(asked.wanted());
            if (difference.isPresent()) {
                throw new BadAnswer(difference.get());
            }
            answered++;
            if (!asked.rpc().isStream()) {
                Message request = asked.request().get(0);
                asked.rpc().toCall(request).ifPresent(call -> items.add(new Item(asked, call, answer)));
            }
        } catch (BadAnswer | RuntimeException error) {
            failures.add(asked.name() + "\n" + error.getMessage());
        }
    }

    private CaseAnswer send(Case asked) throws BadAnswer {
        try {
            return CaseAnswer.read(asked, asked.rpc().call(channel, asked.request()));
        } catch (StatusRuntimeException refused) {
            return CaseAnswer.read(refused);
        }
    }

    private List<Answer> sendBatches() throws BadCase {
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

    private List<Answer> sendStream() throws BadCase {
        List<Message> requests = new ArrayList<>();
        items.forEach(item ->
                requests.add(EvaluateRequest.newBuilder().setCall(item.call).build()));
        return Rpc.find("Evaluate").call(channel, requests).stream()
                .map(response -> ((EvaluateResponse) response).getAnswer())
                .toList();
    }

    private void compare(String call, List<Answer> answers) {
        if (answers.size() != items.size()) {
            failures.add(call + " has " + answers.size() + " answers for " + items.size() + " items");
            return;
        }
        for (int index = 0; index < answers.size(); index++) {
            Item item = items.get(index);
            try {
                Optional<String> difference =
                        CaseAnswer.readItem(item.asked, answers.get(index)).differenceTo(item.alone);
                if (difference.isPresent()) {
                    throw new BadAnswer(difference.get());
                }
            } catch (BadAnswer error) {
                failures.add(item.asked.name() + ", as an item of " + call + "\n" + error.getMessage());
            }
        }
    }
}
