// A queue of DEPTH words. Push and pop in the same cycle are allowed while it is neither full nor empty.
module fifo #(parameter DEPTH = 4, parameter WIDTH = 8) (
    input  logic             clk, rst, push, pop,
    input  logic [WIDTH-1:0] in,
    output logic [WIDTH-1:0] out,
    output logic             full, empty
);
    localparam BITS = $clog2(DEPTH);
    logic [WIDTH-1:0] words [0:DEPTH-1];
    logic [BITS-1:0]  first, next;
    logic [BITS:0]    count;

    assign full  = count == DEPTH;
    assign empty = count == 0;
    assign out   = words[first];

    wire taken   = push && !full;
    wire given   = pop && !empty;

    always @(posedge clk)
        if (rst) begin
            first <= 0;
            next  <= 0;
            count <= 0;
        end else begin
            if (taken) begin
                words[next] <= in;
                next        <= next + 1'b1;
            end
            if (given) first <= first + 1'b1;
            count <= count + taken - given;
        end

    always @(posedge clk)
        if (!rst) begin
            filled:    cover (full);
            refused:   cover (full && push);
            both:      cover (taken && given);
            wrapped:   cover (first == 0 && next == 0 && full);
            magic_out: cover (given && out == 8'ha5);
            bounded:   assert (count <= DEPTH);
            exclusive: assert (!(full && empty));
        end
endmodule
