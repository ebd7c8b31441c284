/// Polynomials over GF(2), one bit per coefficient: what restic's chunker computes with.
#pragma once

#include <holdfast/base/random.h>

#include <cstdint>

namespace holdfast::repo {

using Polynomial = uint64_t;

inline constexpr int kDegree = 53;

/// -1 for 0.
int degree(Polynomial p);
Polynomial remainder(Polynomial p, Polynomial divisor);
Polynomial multiply(Polynomial a, Polynomial b, Polynomial modulus);
/// No factor but itself and 1 (Ben-Or's test).
bool irreducible(Polynomial p);
/// Irreducible, of degree 53.
Polynomial draw_polynomial(Random& random);

}  // namespace holdfast::repo
