// Sums in a declared order. Included inside a namespace of each translation unit; calls nothing of the library, so that no
// code compiled for fused multiply-adds is shared with the rest of the program.

// Left to right; averages divide.
struct Recursive {
  static constexpr norm::Order kOrder = norm::Order::kRecursive;
  static constexpr int kBlock = 1;
  static constexpr std::string_view kName = "recursive";

  template <typename Acc, typename Term>
  static Acc Sum(std::size_t width, Term term) {
    Acc sum = 0;
    for (std::size_t k = 0; k < width; ++k) sum += term(k);
    return sum;
  }

  template <typename Acc>
  static Acc Average(Acc sum, std::size_t width) {
    return sum / static_cast<Acc>(width);
  }
};

// Lane k % L takes element k; lanes merge by a tree; averages multiply by the rounded 1/H, as vector code does.
template <int L>
struct Lanes {
  static constexpr norm::Order kOrder = norm::Order::kLanes;
  static constexpr int kBlock = L;
  static constexpr std::string_view kName = L == 8 ? "lanes8" : "lanes32";

  template <typename Acc, typename Term>
  static Acc Sum(std::size_t width, Term term) {
    Acc lane[L] = {};
    for (std::size_t k = 0; k < width; ++k) lane[k % L] += term(k);
    for (int half = L / 2; half > 0; half /= 2)
      for (int j = 0; j < half; ++j) lane[j] += lane[j + half];
    return lane[0];
  }

  template <typename Acc>
  static Acc Average(Acc sum, std::size_t width) {
    return sum * (1 / static_cast<Acc>(width));
  }
};

// Halves until a block holds at most B elements.
template <int B>
struct Pairwise {
  static constexpr norm::Order kOrder = norm::Order::kPairwise;
  static constexpr int kBlock = B;
  static constexpr std::string_view kName = "pairwise8";

  template <typename Acc, typename Term>
  static Acc SumOf(std::size_t first, std::size_t width, Term term) {
    if (width <= B) return Recursive::Sum<Acc>(width, [&](std::size_t k) { return term(first + k); });
    const std::size_t half = width / 2;
    return SumOf<Acc>(first, half, term) + SumOf<Acc>(first + half, width - half, term);
  }

  template <typename Acc, typename Term>
  static Acc Sum(std::size_t width, Term term) {
    return SumOf<Acc>(0, width, term);
  }

  template <typename Acc>
  static Acc Average(Acc sum, std::size_t width) {
    return Recursive::Average(sum, width);
  }
};
