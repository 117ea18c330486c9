//! The hello world example of tonic. The argument is the address.

use std::{env, error::Error};

use tonic::{Request, Response, Status, transport::Server};

use self::helloworld::{
    HelloReply, HelloRequest,
    greeter_server::{Greeter, GreeterServer},
};

mod helloworld {
    tonic::include_proto!("helloworld");
}

#[derive(Default)]
struct MyGreeter;

#[tonic::async_trait]
impl Greeter for MyGreeter {
    async fn say_hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>, Status> {
        let reply = HelloReply { message: format!("Hello {}!", request.into_inner().name) };
        Ok(Response::new(reply))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1).ok_or("the address argument is missing")?.parse()?;
    Server::builder().add_service(GreeterServer::new(MyGreeter)).serve(address).await?;
    Ok(())
}
