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

/** Reads and writes messages as JSON, and shows the difference of two. */
final class Json {
    /** A strict reader: rejects unknown keys, duplicate keys and text after the end. */
    static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .build();

    /** Lines shown around a difference. */
    private static final int CONTEXT = 3;

    private Json() {}

    /** Reads a message. Unknown fields and names in lowerCamelCase are errors. */
    static Message read(Message type, JsonNode json) throws InvalidCase {
        String name = type.getDescriptorForType().getFullName();
        Optional<String> camelCase = camelCaseKey(json);
        if (camelCase.isPresent()) {
            throw new InvalidCase(
                    camelCase.get() + " is not a field of " + name + ": use the names of the .proto files");
        }
        Message.Builder message = type.newBuilderForType();
        try {
            JsonFormat.parser().merge(json.toString(), message);
        } catch (InvalidProtocolBufferException error) {
            throw new InvalidCase("not a valid " + name + ": " + error.getMessage());
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

    /** Writes messages, with the field names of the .proto files. */
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

    /** Shows where two texts differ: `-` marks lines that are only expected, `+` lines that are only received. */
    static String diff(String expectedText, String gotText) {
        List<String> expected = expectedText.lines().toList();
        List<String> got = gotText.lines().toList();
        int shorter = Math.min(expected.size(), got.size());
        int start = 0;
        while (start < shorter && expected.get(start).equals(got.get(start))) {
            start++;
        }
        int end = 0;
        while (end < shorter - start && expected.get(expected.size() - 1 - end).equals(got.get(got.size() - 1 - end))) {
            end++;
        }
        int expectedEnd = expected.size() - end;
        List<String> lines = new ArrayList<>();
        mark(lines, "  ", expected.subList(Math.max(0, start - CONTEXT), start));
        mark(lines, "- ", expected.subList(start, expectedEnd));
        mark(lines, "+ ", got.subList(start, got.size() - end));
        mark(lines, "  ", expected.subList(expectedEnd, Math.min(expectedEnd + CONTEXT, expected.size())));
        return String.join("\n", lines);
    }

    private static void mark(List<String> lines, String mark, List<String> part) {
        part.forEach(line -> lines.add("    " + mark + line));
    }
}
