// A receiver for serial frames: a start bit (0), eight data bits from the lowest on, a stop bit (1).
// A bit lasts BAUD cycles and is sampled in its middle.
module uart_rx #(parameter BAUD = 4) (
    input  logic       clk, rst, line,
    output logic [7:0] data,
    output logic       ready, broken
);
    localparam IDLE = 2'd0, START = 2'd1, BITS = 2'd2, STOP = 2'd3;
    logic [1:0]              state;
    logic [$clog2(BAUD)-1:0] timer;
    logic [2:0]              index;
    wire                     is_middle = timer == BAUD / 2;
    wire                     is_end    = timer == BAUD - 1;

    always @(posedge clk)
        if (rst) begin
            state  <= IDLE;
            timer  <= 0;
            index  <= 0;
            data   <= 0;
            ready  <= 0;
            broken <= 0;
        end else begin
            ready <= 0;
            timer <= is_end ? 0 : timer + 1'b1;
            case (state)
                IDLE: begin
                    timer <= 0;
                    if (!line) begin
                        state <= START;
                        timer <= 1;
                    end
                end
                START:
                    if (is_middle && line) state <= IDLE;   // a glitch
                    else if (is_end) begin
                        state <= BITS;
                        index <= 0;
                    end
                BITS: begin
                    if (is_middle) data <= {line, data[7:1]};
                    if (is_end) begin
                        index <= index + 1'b1;
                        if (index == 7) state <= STOP;
                    end
                end
                STOP:
                    if (is_middle) begin
                        state  <= IDLE;
                        ready  <= line;
                        broken <= broken || !line;
                    end
            endcase
        end

    always @(posedge clk)
        if (!rst) begin
            received: cover (ready);
            letter_A: cover (ready && data == 8'h41);
            framing:  cover (broken);
            glitch:   cover (state == START && is_middle && line);
            again:    cover (ready && broken);
            one_pulse: assert (!(ready && state == STOP));
        end
endmodule
