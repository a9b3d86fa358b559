// One cover that is hit after five cycles, and one that never is.
module unreachable (input logic clk, output logic [2:0] state);
    initial state = 0;

    always @(posedge clk) state <= state == 4 ? 3'd0 : state + 3'd1;

    always @(posedge clk) begin
        last:  cover (state == 4);
        never: cover (state == 6);
    end
endmodule
