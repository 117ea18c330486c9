//! Case files: read strictly, so that a slip of the pen fails instead of testing nothing.

use std::{collections::HashSet, fs, path::Path};

use prost_reflect::{
    DynamicMessage, FieldDescriptor, MessageDescriptor, MethodDescriptor, ServiceDescriptor,
};
use serde::Deserialize;
use serde_json::Value;
use tonic::Code;

use super::{answer::take_out, json};
use arbiter::wire::proto::{ErrorReason, Reason};

/// One request, and the answer that is wanted.
#[derive(Debug)]
pub struct Case {
    pub name: String,
    pub method: MethodDescriptor,
    /// The messages to send: one, unless the call is a stream.
    pub request: Vec<DynamicMessage>,
    pub wanted: Wanted,
    /// The fields of the answer that must be there with whatever value, each as the way to it.
    pub ignored: Vec<Vec<FieldDescriptor>>,
}

/// The answer that is wanted.
#[derive(Debug)]
pub enum Wanted {
    /// The call succeeds with these messages: one, unless the call is a stream.
    Messages(Vec<DynamicMessage>),
    /// The call is refused.
    Refusal {
        code: Code,
        /// A message that is left out may be any.
        reasons: Vec<(Reason, Option<String>)>,
        move_index: Option<u32>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFile {
    about: String,
    cases: Vec<WrittenCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCase {
    name: String,
    clause: Option<String>,
    rpc: String,
    request: Value,
    status: String,
    response: Option<Value>,
    #[serde(default)]
    ignore: Vec<String>,
    reasons: Option<Vec<WrittenReason>>,
    move_index: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenReason {
    code: String,
    field: Option<String>,
    clause: Option<String>,
    message: Option<String>,
}

/// Reads every case file of a folder, in the order of their names.
pub fn read_folder(folder: &Path, service: &ServiceDescriptor, errors: &mut Vec<String>) -> Vec<Case> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let source = file.strip_prefix(folder.parent().unwrap_or(folder)).unwrap_or(&file).display();
        for case in read_file(&text, service) {
            match case {
                Ok(case) => cases.push(Case { name: format!("{source}: {}", case.name), ..case }),
                Err(error) => errors.push(format!("{source}: {error}")),
            }
        }
    }
    if cases.is_empty() {
        errors.push(format!("{}: there are no cases", folder.display()));
    }
    cases
}

/// Reads the cases of one file, each right or wrong.
pub fn read_file(text: &str, service: &ServiceDescriptor) -> Vec<Result<Case, String>> {
    let file: WrittenFile = match serde_json::from_str(text) {
        Ok(file) => file,
        Err(error) => return vec![Err(error.to_string())],
    };
    if file.about.is_empty() || file.cases.is_empty() {
        return vec![Err("a file says what it is about and has a case".to_owned())];
    }
    let mut names = HashSet::new();
    let read = |case: WrittenCase| {
        let name = case.name.clone();
        if !names.insert(name.clone()) {
            return Err(format!("{name}: there are two cases of this name"));
        }
        case.read(service).map_err(|error| format!("{name}: {error}"))
    };
    file.cases.into_iter().map(read).collect()
}

impl WrittenCase {
    fn read(self, service: &ServiceDescriptor) -> Result<Case, String> {
        if self.name.is_empty() {
            return Err("a case has a name".to_owned());
        }
        if self.clause.as_deref().is_some_and(|clause| !clause.contains('-')) {
            return Err("a clause is written like C4-2".to_owned());
        }
        let method = service.methods().find(|method| method.name() == self.rpc);
        let method = method.ok_or_else(|| format!("there is no call {:?}", self.rpc))?;
        let request = read_messages(method.input(), method.is_client_streaming(), &self.request)?;
        let ignored = self.ignore.iter().map(|path| read_path(method.output(), path));
        let ignored: Vec<Vec<_>> = ignored.collect::<Result<_, _>>()?;
        let wanted =
            if self.status == "OK" { self.read_messages(&method, &ignored)? } else { self.read_refusal()? };
        Ok(Case { name: self.name, method, request, wanted, ignored })
    }

    fn read_messages(
        &self,
        method: &MethodDescriptor,
        ignored: &[Vec<FieldDescriptor>],
    ) -> Result<Wanted, String> {
        if self.reasons.is_some() || self.move_index.is_some() {
            return Err("reasons and move_index are of a refusal, not of OK".to_owned());
        }
        let response = self.response.as_ref().ok_or("OK needs a response")?;
        let mut messages = read_messages(method.output(), method.is_server_streaming(), response)?;
        let ignored_fields: usize = messages.iter_mut().map(|message| take_out(message, ignored).there).sum();
        if ignored_fields > 0 {
            return Err("a field that is ignored must not be in the response".to_owned());
        }
        Ok(Wanted::Messages(messages))
    }

    fn read_refusal(&self) -> Result<Wanted, String> {
        if self.response.is_some() || !self.ignore.is_empty() {
            return Err("response and ignore are of OK, not of a refusal".to_owned());
        }
        let code = read_code(&self.status).ok_or_else(|| format!("there is no status {:?}", self.status))?;
        let reasons = self.reasons.as_deref().unwrap_or_default();
        if reasons.is_empty() {
            return Err("a refusal needs reasons".to_owned());
        }
        if self.move_index.is_some() && code != Code::FailedPrecondition {
            return Err("move_index is of FAILED_PRECONDITION".to_owned());
        }
        let reasons: Result<_, String> = reasons.iter().map(|reason| reason.read(code)).collect();
        Ok(Wanted::Refusal { code, reasons: reasons?, move_index: self.move_index })
    }
}

impl WrittenReason {
    fn read(&self, status: Code) -> Result<(Reason, Option<String>), String> {
        let code = ErrorReason::from_str_name(&self.code).filter(|&code| code != ErrorReason::Unspecified);
        let code = code.ok_or_else(|| format!("there is no reason {:?}", self.code))?;
        let (has_field, has_clause) = match status {
            Code::InvalidArgument => (true, false),
            Code::FailedPrecondition => (true, true),
            _ => (false, false),
        };
        if self.field.is_some() != has_field || self.clause.is_some() != has_clause {
            return Err(format!("a reason of {status:?} has field: {has_field}, clause: {has_clause}"));
        }
        let reason = Reason {
            code: code.into(),
            field: self.field.clone().unwrap_or_default(),
            clause: self.clause.clone().unwrap_or_default(),
            ..Reason::default()
        };
        Ok((reason, self.message.clone()))
    }
}

/// Reads what is sent or answered: a list of messages if it is a stream, otherwise one.
fn read_messages(
    descriptor: MessageDescriptor,
    is_stream: bool,
    written: &Value,
) -> Result<Vec<DynamicMessage>, String> {
    match written {
        Value::Array(items) if is_stream => {
            items.iter().map(|item| json::read(descriptor.clone(), item)).collect()
        }
        Value::Object(_) if !is_stream => json::read(descriptor, written).map(|message| vec![message]),
        _ if is_stream => Err("the messages of a stream are a list".to_owned()),
        _ => Err("a message is an object".to_owned()),
    }
}

/// Reads the path of a field, such as `games.summary`.
fn read_path(mut descriptor: MessageDescriptor, path: &str) -> Result<Vec<FieldDescriptor>, String> {
    let mut fields = Vec::new();
    let mut names = path.split('.').peekable();
    while let Some(name) = names.next() {
        let field = descriptor.get_field_by_name(name);
        let field = field.ok_or_else(|| format!("{path:?}: {} has no {name:?}", descriptor.full_name()))?;
        if names.peek().is_some() {
            let kind = field.kind();
            descriptor =
                kind.as_message().ok_or_else(|| format!("{path:?}: {name:?} has no fields"))?.clone();
        }
        fields.push(field);
    }
    Ok(fields)
}

/// The status of a refusal by its name.
fn read_code(name: &str) -> Option<Code> {
    Some(match name {
        "INVALID_ARGUMENT" => Code::InvalidArgument,
        "FAILED_PRECONDITION" => Code::FailedPrecondition,
        "RESOURCE_EXHAUSTED" => Code::ResourceExhausted,
        "UNIMPLEMENTED" => Code::Unimplemented,
        _ => return None,
    })
}
