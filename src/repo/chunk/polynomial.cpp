#include "chunk/polynomial.h"

#include <holdfast/base/result.h>

#include <bit>

namespace holdfast::repo {
namespace {

Polynomial common_divisor(Polynomial a, Polynomial b) {
  while (b != 0) {
    a = remainder(a, b);
    const Polynomial next = b;
    b = a;
    a = next;
  }
  return a;
}

/// x^(2^n) - x modulo p.
Polynomial power_less_x(int n, Polynomial p) {
  Polynomial power = 2;  // x
  for (int i = 0; i < n; ++i) power = multiply(power, power, p);
  return remainder(power ^ 2, p);
}

}  // namespace

int degree(Polynomial p) { return 63 - std::countl_zero(p); }

Polynomial remainder(Polynomial p, Polynomial divisor) {
  HF_CHECK(divisor != 0);
  const int most = degree(divisor);
  for (int at = degree(p); at >= most; at = degree(p)) p ^= divisor << (at - most);
  return p;
}

Polynomial multiply(Polynomial a, Polynomial b, Polynomial modulus) {
  const Polynomial top = Polynomial{1} << degree(modulus);
  a = remainder(a, modulus);
  Polynomial product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) product ^= a;
    a <<= 1;
    if ((a & top) != 0) a ^= modulus;
  }
  return product;
}

bool irreducible(Polynomial p) {
  if (degree(p) < 1) return false;
  for (int i = 1; i <= degree(p) / 2; ++i)
    if (common_divisor(p, power_less_x(i, p)) != 1) return false;
  return true;
}

Polynomial draw_polynomial(Random& random) {
  for (;;) {
    // Degree 53 exactly; with a constant term, or x would divide it.
    const Polynomial drawn =
        (random.next() & ((Polynomial{1} << kDegree) - 1)) | Polynomial{1} << kDegree | 1;
    if (irreducible(drawn)) return drawn;
  }
}

}  // namespace holdfast::repo
