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

/** Reads case files, strictly: so that a slip of the pen fails instead of testing nothing. */
final class CaseReader {
    private static final Set<String> REFUSALS =
            Set.of("INVALID_ARGUMENT", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED");

    /** Everything that is wrong with the files. */
    final List<String> errors = new ArrayList<>();

    record WrittenFile(String about, List<WrittenCase> cases) {}

    record WrittenCase(
            String name,
            String clause,
            String rpc,
            JsonNode request,
            String status,
            JsonNode response,
            List<String> ignore,
            List<WrittenReason> reasons,
            Integer move_index) {}

    record WrittenReason(String code, String field, String clause, String message) {}

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

    private static List<Path> list(Path folder, java.util.function.Predicate<Path> wanted) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(wanted).sorted().toList();
        }
    }

    /** Reads the cases of one file. */
    List<Case> readFile(String source, String text) {
        List<Case> cases = new ArrayList<>();
        try {
            WrittenFile file = Json.STRICT.readValue(text, WrittenFile.class);
            if (isEmpty(file.about) || file.cases == null || file.cases.isEmpty()) {
                throw new BadCase("a file says what it is about and has a case");
            }
            Set<String> names = new HashSet<>();
            for (WrittenCase written : file.cases) {
                try {
                    check(!isEmpty(written.name), "a case has a name");
                    check(names.add(written.name), "there are two cases of this name");
                    cases.add(read(written));
                } catch (BadCase error) {
                    errors.add(source + ": " + written.name + ": " + error.getMessage());
                }
            }
        } catch (BadCase | JacksonException error) {
            errors.add(source + ": " + error.getMessage());
        }
        return cases;
    }

    private static Case read(WrittenCase written) throws BadCase {
        check(written.clause == null || written.clause.contains("-"), "a clause is written like C4-2");
        check(written.rpc != null && written.status != null, "a case has an rpc and a status");
        Rpc rpc = Rpc.find(written.rpc);
        List<Message> request = readMessages(rpc.request(), rpc.isStream(), written.request);
        List<FieldPath> ignored = new ArrayList<>();
        for (String path : written.ignore == null ? List.<String>of() : written.ignore) {
            ignored.add(FieldPath.read(rpc.response().getDescriptorForType(), path));
        }
        Case.Wanted wanted = written.status.equals("OK") ? readAnswer(written, rpc, ignored) : readRefusal(written);
        return new Case(written.name, rpc, request, ignored, wanted);
    }

    private static Case.Wanted readAnswer(WrittenCase written, Rpc rpc, List<FieldPath> ignored) throws BadCase {
        check(
                written.reasons == null && written.move_index == null,
                "reasons and move_index are of a refusal, not of OK");
        check(isGiven(written.response), "OK needs a response");
        List<Message> messages = readMessages(rpc.response(), rpc.isStream(), written.response);
        FieldPath.Found found = new FieldPath.Found();
        for (Message message : messages) {
            Message.Builder builder = message.toBuilder();
            ignored.forEach(path -> path.takeOut(builder, found));
        }
        check(found.there == 0, "a field that is ignored must not be in the response");
        return new Case.Messages(messages);
    }

    private static Case.Wanted readRefusal(WrittenCase written) throws BadCase {
        check(!isGiven(written.response) && written.ignore == null, "response and ignore are of OK, not of a refusal");
        check(REFUSALS.contains(written.status), "there is no status \"" + written.status + "\"");
        check(written.reasons != null && !written.reasons.isEmpty(), "a refusal needs reasons");
        Status.Code code = Status.Code.valueOf(written.status);
        check(
                written.move_index == null || code == Status.Code.FAILED_PRECONDITION,
                "move_index is of FAILED_PRECONDITION");
        List<Reason> reasons = new ArrayList<>();
        for (WrittenReason reason : written.reasons) {
            reasons.add(readReason(reason, code));
        }
        return new Case.Refused(code, reasons, Optional.ofNullable(written.move_index));
    }

    private static Reason readReason(WrittenReason written, Status.Code status) throws BadCase {
        boolean known =
                Stream.of(ErrorReason.values()).anyMatch(reason -> reason.name().equals(written.code));
        check(known && !written.code.equals("ERROR_REASON_UNSPECIFIED"), "there is no reason " + written.code);
        boolean hasClause = status == Status.Code.FAILED_PRECONDITION;
        boolean hasField = hasClause || status == Status.Code.INVALID_ARGUMENT;
        check(
                (written.field != null) == hasField && (written.clause != null) == hasClause,
                "a reason of " + status + " has field: " + hasField + ", clause: " + hasClause);
        return Reason.newBuilder()
                .setCode(ErrorReason.valueOf(written.code))
                .setField(orEmpty(written.field))
                .setClause(orEmpty(written.clause))
                .setMessage(orEmpty(written.message))
                .build();
    }

    /** Reads what is sent or answered: a list of messages if it is a stream, otherwise one. */
    private static List<Message> readMessages(Message type, boolean isStream, JsonNode written) throws BadCase {
        check(isGiven(written), "a case has a request");
        check(
                written.isArray() == isStream,
                isStream ? "the messages of a stream are a list" : "a message is an object");
        List<Message> messages = new ArrayList<>();
        for (JsonNode message : isStream ? written.values() : List.of(written)) {
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

    private static void check(boolean holds, String otherwise) throws BadCase {
        if (!holds) {
            throw new BadCase(otherwise);
        }
    }
}
