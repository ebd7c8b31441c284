// The programs that run where a pod's processes are (init/main.cpp, holder/main.cpp), each linked on its own and carried in
// this one.
    .section .rodata
    .global holdfast_init_begin
    .global holdfast_init_end
holdfast_init_begin:
    .incbin HOLDFAST_INIT_FILE
holdfast_init_end:
    .byte 0
    .global holdfast_holder_begin
    .global holdfast_holder_end
holdfast_holder_begin:
    .incbin HOLDFAST_HOLDER_FILE
holdfast_holder_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
