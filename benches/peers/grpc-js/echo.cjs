// A gRPC server that answers what it was asked, by grpc-js. It listens on the port that is its argument.

const { Server, ServerCredentials } = require("@grpc/grpc-js");

const asItIs = (message) => message;

const service = {
  Say: {
    path: "/bench.Echo/Say",
    requestStream: false,
    responseStream: false,
    requestDeserialize: asItIs,
    requestSerialize: asItIs,
    responseDeserialize: asItIs,
    responseSerialize: asItIs,
  },
};

const server = new Server();
server.addService(service, { Say: (call, answer) => answer(null, call.request) });
server.bindAsync(`127.0.0.1:${process.argv[2]}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
