// The default roles and bindings of Kubernetes 1.34, one JSON object per line, as bytes of the binary.
        .section .rodata
        .global holdfast_default_rbac
        .global holdfast_default_rbac_end
holdfast_default_rbac:
        .incbin "auth/default_rbac.jsonl"
holdfast_default_rbac_end:
        .section .note.GNU-stack,"",%progbits
