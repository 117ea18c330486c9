package io.arbiter.client.cases;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/** Messages as JSON, and how two of them differ. */
final class Json {
    /** Reads what is written, and nothing that is not foreseen. */
    static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .build();

    /** Lines that are shown around a difference. */
    private static final int CONTEXT = 3;

    private Json() {}

    /**
     * Reads a message. A field that the message does not have is an error, and so is a name in lowerCamelCase: one
     * spelling is enough.
     */
    static Message read(Message type, JsonNode json) throws BadCase {
        String name = type.getDescriptorForType().getFullName();
        Optional<String> camelCase = camelCaseKey(json);
        if (camelCase.isPresent()) {
            throw new BadCase(
                    camelCase.get() + " is no field of " + name + ": fields are written as in the .proto files");
        }
        Message.Builder message = type.newBuilderForType();
        try {
            JsonFormat.parser().merge(json.toString(), message);
        } catch (InvalidProtocolBufferException error) {
            throw new BadCase("this is no " + name + ": " + error.getMessage());
        }
        return message.build();
    }

    private static Optional<String> camelCaseKey(JsonNode json) {
        for (Map.Entry<String, JsonNode> field : json.properties()) {
            if (field.getKey().chars().anyMatch(Character::isUpperCase)) {
                return Optional.of(field.getKey());
            }
        }
        return json.values().stream()
                .map(Json::camelCaseKey)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** Writes messages, with the names of the fields as in the .proto files. */
    static String write(List<? extends Message> messages) {
        JsonFormat.Printer printer = JsonFormat.printer().preservingProtoFieldNames();
        StringBuilder text = new StringBuilder();
        for (Message message : messages) {
            try {
                text.append(printer.print(message)).append('\n');
            } catch (InvalidProtocolBufferException error) {
                throw new IllegalStateException("every message of the contract has a JSON form", error);
            }
        }
        return text.toString();
    }

    /** Shows where two texts differ: lines that are only wanted with `-`, lines that only came with `+`. */
    static String diff(String wantedText, String gotText) {
        List<String> wanted = wantedText.lines().toList();
        List<String> got = gotText.lines().toList();
        int shorter = Math.min(wanted.size(), got.size());
        int start = 0;
        while (start < shorter && wanted.get(start).equals(got.get(start))) {
            start++;
        }
        int end = 0;
        while (end < shorter - start && wanted.get(wanted.size() - 1 - end).equals(got.get(got.size() - 1 - end))) {
            end++;
        }
        int wantedEnd = wanted.size() - end;
        List<String> lines = new ArrayList<>();
        mark(lines, "  ", wanted.subList(Math.max(0, start - CONTEXT), start));
        mark(lines, "- ", wanted.subList(start, wantedEnd));
        mark(lines, "+ ", got.subList(start, got.size() - end));
        mark(lines, "  ", wanted.subList(wantedEnd, Math.min(wantedEnd + CONTEXT, wanted.size())));
        return String.join("\n", lines);
    }

    private static void mark(List<String> lines, String mark, List<String> part) {
        part.forEach(line -> lines.add("    " + mark + line));
    }
}
