//! A strict parser for case files, so that a typo fails instead of testing nothing.

use std::{collections::HashSet, fs, path::Path};

use prost_reflect::{
    DynamicMessage, FieldDescriptor, MessageDescriptor, MethodDescriptor, ServiceDescriptor,
};
use serde::Deserialize;
use serde_json::Value;
use tonic::Code;

use super::{call_result::remove_fields, json};
use arbiter::wire::proto::{ErrorReason, Reason};

/// One request and the expected result.
#[derive(Debug)]
pub struct Case {
    pub name: String,
    pub method: MethodDescriptor,
    /// The messages to send. One, unless the call is a stream.
    pub request: Vec<DynamicMessage>,
    pub expected: Expected,
    /// Paths of response fields that must be present with any value.
    pub ignored: Vec<Vec<FieldDescriptor>>,
}

/// The expected result.
#[derive(Debug)]
pub enum Expected {
    /// The call succeeds with these messages. One, unless the call is a stream.
    Messages(Vec<DynamicMessage>),
    /// The call fails.
    Refusal {
        code: Code,
        /// Each with the expected message. `None` accepts any message.
        reasons: Vec<(Reason, Option<String>)>,
        move_index: Option<u32>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileJson {
    about: String,
    cases: Vec<CaseJson>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseJson {
    name: String,
    clause: Option<String>,
    rpc: String,
    request: Value,
    status: String,
    response: Option<Value>,
    #[serde(default)]
    ignore: Vec<String>,
    reasons: Option<Vec<ReasonJson>>,
    move_index: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReasonJson {
    code: String,
    field: Option<String>,
    clause: Option<String>,
    message: Option<String>,
}

/// Reads every case file of a folder, sorted by name.
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
        errors.push(format!("{}: no cases", folder.display()));
    }
    cases
}

/// Parses the cases of one file.
pub fn read_file(text: &str, service: &ServiceDescriptor) -> Vec<Result<Case, String>> {
    let file: FileJson = match serde_json::from_str(text) {
        Ok(file) => file,
        Err(error) => return vec![Err(error.to_string())],
    };
    if file.about.is_empty() || file.cases.is_empty() {
        return vec![Err("a file needs an `about` text and at least one case".to_owned())];
    }
    let mut names = HashSet::new();
    let parse = |case: CaseJson| {
        let name = case.name.clone();
        if !names.insert(name.clone()) {
            return Err(format!("{name}: there are two cases of this name"));
        }
        case.parse(service).map_err(|error| format!("{name}: {error}"))
    };
    file.cases.into_iter().map(parse).collect()
}

impl CaseJson {
    fn parse(self, service: &ServiceDescriptor) -> Result<Case, String> {
        if self.name.is_empty() {
            return Err("a case needs a name".to_owned());
        }
        if self.clause.as_deref().is_some_and(|clause| !clause.contains('-')) {
            return Err("a clause has the form C4-2".to_owned());
        }
        let method = service.methods().find(|method| method.name() == self.rpc);
        let method = method.ok_or_else(|| format!("there is no call {:?}", self.rpc))?;
        let request = parse_messages(method.input(), method.is_client_streaming(), &self.request)?;
        let ignored = self.ignore.iter().map(|path| parse_path(method.output(), path));
        let ignored: Vec<Vec<_>> = ignored.collect::<Result<_, _>>()?;
        let expected =
            if self.status == "OK" { self.parse_response(&method, &ignored)? } else { self.parse_refusal()? };
        Ok(Case { name: self.name, method, request, expected, ignored })
    }

    fn parse_response(
        &self,
        method: &MethodDescriptor,
        ignored: &[Vec<FieldDescriptor>],
    ) -> Result<Expected, String> {
        if self.reasons.is_some() || self.move_index.is_some() {
            return Err("`reasons` and `move_index` need a status other than OK".to_owned());
        }
        let response = self.response.as_ref().ok_or("OK needs a response")?;
        let mut messages = parse_messages(method.output(), method.is_server_streaming(), response)?;
        let ignored_fields: usize =
            messages.iter_mut().map(|message| remove_fields(message, ignored).present).sum();
        if ignored_fields > 0 {
            return Err("an ignored field must not be in the response".to_owned());
        }
        Ok(Expected::Messages(messages))
    }

    fn parse_refusal(&self) -> Result<Expected, String> {
        if self.response.is_some() || !self.ignore.is_empty() {
            return Err("`response` and `ignore` need the status OK".to_owned());
        }
        let code = parse_code(&self.status).ok_or_else(|| format!("unknown status {:?}", self.status))?;
        let reasons = self.reasons.as_deref().unwrap_or_default();
        if reasons.is_empty() {
            return Err("a refusal needs reasons".to_owned());
        }
        if self.move_index.is_some() && code != Code::FailedPrecondition {
            return Err("`move_index` needs FAILED_PRECONDITION".to_owned());
        }
        let reasons: Result<_, String> = reasons.iter().map(|reason| reason.parse(code)).collect();
        Ok(Expected::Refusal { code, reasons: reasons?, move_index: self.move_index })
    }
}

impl ReasonJson {
    fn parse(&self, status: Code) -> Result<(Reason, Option<String>), String> {
        let code = ErrorReason::from_str_name(&self.code).filter(|&code| code != ErrorReason::Unspecified);
        let code = code.ok_or_else(|| format!("unknown reason {:?}", self.code))?;
        let (has_field, has_clause) = match status {
            Code::InvalidArgument => (true, false),
            Code::FailedPrecondition => (true, true),
            _ => (false, false),
        };
        if self.field.is_some() != has_field || self.clause.is_some() != has_clause {
            return Err(format!("a reason of {status:?} needs field: {has_field}, clause: {has_clause}"));
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

/// Parses a request or a response: a list of messages for a stream, otherwise one message.
fn parse_messages(
    descriptor: MessageDescriptor,
    is_stream: bool,
    json: &Value,
) -> Result<Vec<DynamicMessage>, String> {
    match json {
        Value::Array(items) if is_stream => {
            items.iter().map(|item| json::parse(descriptor.clone(), item)).collect()
        }
        Value::Object(_) if !is_stream => json::parse(descriptor, json).map(|message| vec![message]),
        _ if is_stream => Err("the messages of a stream are a list".to_owned()),
        _ => Err("a message is an object".to_owned()),
    }
}

/// Resolves a field path such as `games.summary`.
fn parse_path(mut descriptor: MessageDescriptor, path: &str) -> Result<Vec<FieldDescriptor>, String> {
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

fn parse_code(name: &str) -> Option<Code> {
    Some(match name {
        "INVALID_ARGUMENT" => Code::InvalidArgument,
        "FAILED_PRECONDITION" => Code::FailedPrecondition,
        "RESOURCE_EXHAUSTED" => Code::ResourceExhausted,
        "UNIMPLEMENTED" => Code::Unimplemented,
        _ => return None,
    })
}
