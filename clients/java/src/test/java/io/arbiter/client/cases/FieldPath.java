package io.arbiter.client.cases;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;

/** The path of a field, such as {@code games.presets.summary}. Through a list, it leads to each of its items. */
record FieldPath(List<FieldDescriptor> fields) {
    static FieldPath read(Descriptor message, String path) throws InvalidCase {
        List<FieldDescriptor> fields = new ArrayList<>();
        Descriptor at = message;
        for (String name : path.split("\\.", -1)) {
            FieldDescriptor field = at == null ? null : at.findFieldByName(name);
            if (field == null) {
                throw new InvalidCase(path + ": there is no field " + name);
            }
            fields.add(field);
            at = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE ? field.getMessageType() : null;
        }
        return new FieldPath(fields);
    }

    /** How often a field was present, and how often it was missing. */
    static final class Found {
        int present;
        int missing;
    }

    /** Removes the field from a message. */
    void remove(Message.Builder message, Found found) {
        FieldDescriptor field = fields.get(0);
        boolean present = field.isRepeated() ? message.getRepeatedFieldCount(field) > 0 : message.hasField(field);
        if (fields.size() == 1) {
            message.clearField(field);
            found.present += present ? 1 : 0;
            found.missing += present ? 0 : 1;
            return;
        }
        FieldPath rest = new FieldPath(fields.subList(1, fields.size()));
        if (field.isRepeated()) {
            for (int index = 0; index < message.getRepeatedFieldCount(field); index++) {
                rest.remove(message.getRepeatedFieldBuilder(field, index), found);
            }
        } else if (present) {
            rest.remove(message.getFieldBuilder(field), found);
        }
    }
}
