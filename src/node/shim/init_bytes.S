// The program that containers begin with (init/main.cpp), linked on its own and carried in this one.
    .section .rodata
    .global holdfast_init_begin
    .global holdfast_init_end
holdfast_init_begin:
    .incbin HOLDFAST_INIT_FILE
holdfast_init_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
