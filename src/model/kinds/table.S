// The table of built-in kinds, as bytes of the binary. The grammar stands at its head.
        .section .rodata
        .global holdfast_kinds_table
        .global holdfast_kinds_table_end
holdfast_kinds_table:
        .incbin "kinds/kinds.table"
holdfast_kinds_table_end:
        .section .note.GNU-stack,"",%progbits
