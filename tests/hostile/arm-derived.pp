type N {
  attr n, Integer
  derived attr x, Integer { N(n => 1).x + 1 }
}
notice(N(n => 1).x)
