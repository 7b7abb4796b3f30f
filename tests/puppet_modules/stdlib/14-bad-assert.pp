# A private function of a class from outside.
class a::b {
  assert_private('only a may use this')
}
include a::b
