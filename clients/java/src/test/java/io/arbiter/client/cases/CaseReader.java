package io.arbiter.client.cases;

import com.google.protobuf.Message;
import io.arbiter.v1.ErrorReason;
import io.arbiter.v1.Reason;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Reads case files. Strict, so that a typo is an error instead of a test of nothing. */
final class CaseReader {
    private static final Set<String> REFUSALS =
            Set.of("INVALID_ARGUMENT", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED");

    /** The errors of invalid files and cases. */
    final List<String> errors = new ArrayList<>();

    record FileJson(String about, List<CaseJson> cases) {}

    record CaseJson(
            String name,
            String clause,
            String rpc,
            JsonNode request,
            String status,
            JsonNode response,
            List<String> ignore,
            List<ReasonJson> reasons,
            Integer move_index) {}

    record ReasonJson(String code, String field, String clause, String message) {}

    /** Reads the cases of all folders. Each folder must have some. */
    List<Case> readAll(Path root) throws IOException {
        List<Case> cases = new ArrayList<>();
        for (Path folder : list(root, Files::isDirectory)) {
            int before = cases.size();
            for (Path file : list(folder, path -> true)) {
                String source = root.relativize(file).toString();
                readFile(source, Files.readString(file)).forEach(each -> cases.add(each.in(source)));
            }
            if (cases.size() == before) {
                errors.add(folder + ": there are no cases");
            }
        }
        return cases;
    }

    private static List<Path> list(Path folder, java.util.function.Predicate<Path> filter) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(filter).sorted().toList();
        }
    }

    /** Reads the cases of one file. */
    List<Case> readFile(String source, String text) {
        List<Case> cases = new ArrayList<>();
        try {
            FileJson file = Json.STRICT.readValue(text, FileJson.class);
            if (isEmpty(file.about) || file.cases == null || file.cases.isEmpty()) {
                throw new InvalidCase("a file needs an about and at least one case");
            }
            Set<String> names = new HashSet<>();
            for (CaseJson json : file.cases) {
                try {
                    check(!isEmpty(json.name), "a case needs a name");
                    check(names.add(json.name), "there are two cases with this name");
                    cases.add(read(json));
                } catch (InvalidCase error) {
                    errors.add(source + ": " + json.name + ": " + error.getMessage());
                }
            }
        } catch (InvalidCase | JacksonException error) {
            errors.add(source + ": " + error.getMessage());
        }
        return cases;
    }

    private static Case read(CaseJson json) throws InvalidCase {
        check(json.clause == null || json.clause.contains("-"), "a clause has the form of C4-2");
        check(json.rpc != null && json.status != null, "a case needs an rpc and a status");
        Rpc rpc = Rpc.find(json.rpc);
        List<Message> request = readMessages(rpc.request(), rpc.isStream(), json.request);
        List<FieldPath> ignored = new ArrayList<>();
        for (String path : json.ignore == null ? List.<String>of() : json.ignore) {
            ignored.add(FieldPath.read(rpc.response().getDescriptorForType(), path));
        }
        Case.Expected expected = json.status.equals("OK") ? readAnswer(json, rpc, ignored) : readRefusal(json);
        return new Case(json.name, rpc, request, ignored, expected);
    }

    private static Case.Expected readAnswer(CaseJson json, Rpc rpc, List<FieldPath> ignored) throws InvalidCase {
        check(json.reasons == null && json.move_index == null, "reasons and move_index are only for a refusal");
        check(isGiven(json.response), "OK needs a response");
        List<Message> messages = readMessages(rpc.response(), rpc.isStream(), json.response);
        FieldPath.Found found = new FieldPath.Found();
        for (Message message : messages) {
            Message.Builder builder = message.toBuilder();
            ignored.forEach(path -> path.remove(builder, found));
        }
        check(found.present == 0, "an ignored field must not be in the response");
        return new Case.Messages(messages);
    }

    private static Case.Expected readRefusal(CaseJson json) throws InvalidCase {
        check(!isGiven(json.response) && json.ignore == null, "response and ignore are only for OK");
        check(REFUSALS.contains(json.status), "there is no status \"" + json.status + "\"");
        check(json.reasons != null && !json.reasons.isEmpty(), "a refusal needs reasons");
        Status.Code code = Status.Code.valueOf(json.status);
        check(
                json.move_index == null || code == Status.Code.FAILED_PRECONDITION,
                "move_index is only for FAILED_PRECONDITION");
        List<Reason> reasons = new ArrayList<>();
        for (ReasonJson reason : json.reasons) {
            reasons.add(readReason(reason, code));
        }
        return new Case.Refused(code, reasons, Optional.ofNullable(json.move_index));
    }

    private static Reason readReason(ReasonJson json, Status.Code status) throws InvalidCase {
        boolean known =
                Stream.of(ErrorReason.values()).anyMatch(reason -> reason.name().equals(json.code));
        check(known && !json.code.equals("ERROR_REASON_UNSPECIFIED"), "there is no reason " + json.code);
        boolean hasClause = status == Status.Code.FAILED_PRECONDITION;
        boolean hasField = hasClause || status == Status.Code.INVALID_ARGUMENT;
        check(
                (json.field != null) == hasField && (json.clause != null) == hasClause,
                "a reason of " + status + " has field: " + hasField + ", clause: " + hasClause);
        return Reason.newBuilder()
                .setCode(ErrorReason.valueOf(json.code))
                .setField(orEmpty(json.field))
                .setClause(orEmpty(json.clause))
                .setMessage(orEmpty(json.message))
                .build();
    }

    /** Reads requests or responses: a list of messages for a stream, otherwise one. */
    private static List<Message> readMessages(Message type, boolean isStream, JsonNode json) throws InvalidCase {
        check(isGiven(json), "a case needs a request");
        check(json.isArray() == isStream, isStream ? "the messages of a stream are a list" : "a message is an object");
        List<Message> messages = new ArrayList<>();
        for (JsonNode message : isStream ? json.values() : List.of(json)) {
            messages.add(Json.read(type, message));
        }
        return messages;
    }

    private static boolean isGiven(JsonNode json) {
        return json != null && !json.isNull() && !json.isMissingNode();
    }

    private static boolean isEmpty(String text) {
        return text == null || text.isEmpty();
    }

    private static String orEmpty(String text) {
        return text == null ? "" : text;
    }

    private static void check(boolean holds, String otherwise) throws InvalidCase {
        if (!holds) {
            throw new InvalidCase(otherwise);
        }
    }
}
