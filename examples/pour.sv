// Jugs of 8, 5 and 3 litres: pour from one to another until four litres are in one of them.
module pour (
    input  logic       clk,
    input  logic [1:0] from, to,
    output logic [3:0] jug8, jug5, jug3
);
    initial begin
        jug8 = 8;
        jug5 = 0;
        jug3 = 0;
    end

    wire       valid  = from != to && from < 3 && to < 3;
    wire [3:0] level  = from == 0 ? jug8 : from == 1 ? jug5 : jug3;
    wire [3:0] room   = to == 0 ? 8 - jug8 : to == 1 ? 5 - jug5 : 3 - jug3;
    wire [3:0] amount = !valid ? 0 : level < room ? level : room;

    always @(posedge clk) begin
        jug8 <= jug8 + (to == 0 ? amount : 0) - (from == 0 ? amount : 0);
        jug5 <= jug5 + (to == 1 ? amount : 0) - (from == 1 ? amount : 0);
        jug3 <= jug3 + (to == 2 ? amount : 0) - (from == 2 ? amount : 0);
    end

    always @(posedge clk) begin
        four:  cover (jug8 == 4 || jug5 == 4);
        total: assert (jug8 + jug5 + jug3 == 8);
    end
endmodule
