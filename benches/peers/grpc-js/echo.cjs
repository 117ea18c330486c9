// A gRPC echo server with grpc-js. The argument is the port.

const { Server, ServerCredentials } = require("@grpc/grpc-js");

const identity = (message) => message;

const service = {
  Say: {
    path: "/bench.Echo/Say",
    requestStream: false,
    responseStream: false,
    requestDeserialize: identity,
    requestSerialize: identity,
    responseDeserialize: identity,
    responseSerialize: identity,
  },
};

const server = new Server();
server.addService(service, { Say: (call, callback) => callback(null, call.request) });
server.bindAsync(`127.0.0.1:${process.argv[2]}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
