// The binary.
int main() {}
