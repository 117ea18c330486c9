package io.arbiter.client.cases;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;

/** The way to a field, such as {@code games.presets.summary}: through a list it leads to each of its items. */
record FieldPath(List<FieldDescriptor> fields) {
    static FieldPath read(Descriptor message, String path) throws BadCase {
        List<FieldDescriptor> fields = new ArrayList<>();
        Descriptor at = message;
        for (String name : path.split("\\.", -1)) {
            FieldDescriptor field = at == null ? null : at.findFieldByName(name);
            if (field == null) {
                throw new BadCase(path + ": there is no " + name);
            }
            fields.add(field);
            at = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE ? field.getMessageType() : null;
        }
        return new FieldPath(fields);
    }

    /** How often a field was there, and how often it was not. */
    static final class Found {
        int there;
        int missing;
    }

    /** Takes the field out of a message, wherever the way leads. */
    void takeOut(Message.Builder message, Found found) {
        FieldDescriptor field = fields.get(0);
        boolean there = field.isRepeated() ? message.getRepeatedFieldCount(field) > 0 : message.hasField(field);
        if (fields.size() == 1) {
            message.clearField(field);
            found.there += there ? 1 : 0;
            found.missing += there ? 0 : 1;
            return;
        }
        FieldPath rest = new FieldPath(fields.subList(1, fields.size()));
        if (field.isRepeated()) {
            for (int index = 0; index < message.getRepeatedFieldCount(field); index++) {
                rest.takeOut(message.getRepeatedFieldBuilder(field, index), found);
            }
        } else if (there) {
            rest.takeOut(message.getFieldBuilder(field), found);
        }
    }
}
