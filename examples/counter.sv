// A counter with an asynchronous reset that is active low. It skips 13, so `unlucky` is unreachable.
module counter (
    input  logic       clk, rst_n, up, down,
    output logic [3:0] count,
    output logic       top
);
    assign top = count == 15;

    always @(posedge clk or negedge rst_n)
        if (!rst_n) count <= 0;
        else if (up && !down) count <= count == 12 ? 4'd14 : count + 4'd1;
        else if (down && !up) count <= count == 14 ? 4'd12 : count - 4'd1;

    always @(posedge clk)
        if (rst_n) begin
            five:     cover (count == 5);
            highest:  cover (top);
            wrapped:  cover (top && up && !down);
            unlucky:  cover (count == 13);
            not_both: assume (!(up && down));
            skipped:  assert (count != 13);
            below_9:  assert (count < 9);
        end
endmodule
