// Row arithmetic of every profile. Included inside a namespace of each translation unit, after sums-inl.h.

template <typename Acc>
struct Moments {
  Acc mean;
  Acc spread;  // var, or the mean or sum of squares where nothing is subtracted
};

template <typename Acc>
Acc SumOfSquares(const RowInput& in, auto order) {
  return decltype(order)::template Sum<Acc>(in.width, [&](std::size_t k) {
    const Acc x = static_cast<Acc>(in.x[k]);
    return x * x;
  });
}

template <typename Acc>
Acc MeanSquare(const RowInput& in, auto order) {
  return decltype(order)::Average(SumOfSquares<Acc>(in, order), in.width);
}

template <typename Acc>
Acc Mean(const RowInput& in, auto order) {
  using O = decltype(order);
  return O::Average(O::template Sum<Acc>(in.width, [&](std::size_t k) { return static_cast<Acc>(in.x[k]); }), in.width);
}

// var = sum((x - mean)^2)/H, with the mean as the elements will subtract it.
struct TwoPass {
  static constexpr norm::Algorithm kAlgorithm = norm::Algorithm::kTwoPass;
  static constexpr std::string_view kName = "two-pass";

  template <typename Acc, typename Elem>
  static Moments<Acc> Of(const RowInput& in, auto order) {
    using O = decltype(order);
    const Acc mean = Mean<Acc>(in, order);
    const Elem subtracted = static_cast<Elem>(mean);
    const Acc sum = O::template Sum<Acc>(in.width, [&](std::size_t k) {
      const Acc d = static_cast<Acc>(static_cast<Elem>(in.x[k]) - subtracted);
      return d * d;
    });
    return {mean, O::Average(sum, in.width)};
  }
};

// var = max(0, sum(x^2)/H - mean^2); a NaN passes.
struct OnePass {
  static constexpr norm::Algorithm kAlgorithm = norm::Algorithm::kOnePass;
  static constexpr std::string_view kName = "one-pass";

  template <typename Acc, typename Elem>
  static Moments<Acc> Of(const RowInput& in, auto order) {
    const Acc mean = Mean<Acc>(in, order);
    const Acc var = MeanSquare<Acc>(in, order) - mean * mean;
    return {mean, var < 0 ? 0 : var};
  }
};

// d = x - M; M += d/k; S += d*(x - M), elements first, first + stride, ...
template <typename Acc>
struct Running {
  Acc count = 0;
  Acc mean = 0;
  Acc sum = 0;

  void Add(Acc x) {
    count += 1;
    const Acc d = x - mean;
    mean += d / count;
    sum += d * (x - mean);
  }

  // Chan: D = M_B - M_A; M = M_A + D*(n_B/n); S = S_A + S_B + D*D*(n_A*n_B/n).
  void Merge(const Running& other) {
    if (other.count == 0) return;
    const Acc n = count + other.count;
    const Acc d = other.mean - mean;
    mean += d * (other.count / n);
    sum += other.sum + d * d * (count * other.count / n);
    count = n;
  }
};

struct Welford {
  static constexpr norm::Algorithm kAlgorithm = norm::Algorithm::kWelford;
  static constexpr std::string_view kName = "welford";

  template <typename Acc, typename Elem>
  static Moments<Acc> Of(const RowInput& in, auto order) {
    constexpr int kLanes = decltype(order)::kBlock;
    Running<Acc> lane[kLanes];
    for (std::size_t k = 0; k < in.width; ++k) lane[k % kLanes].Add(static_cast<Acc>(in.x[k]));
    for (int half = kLanes / 2; half > 0; half /= 2)
      for (int j = 0; j < half; ++j) lane[j].Merge(lane[j + half]);
    return {lane[0].mean, lane[0].sum / static_cast<Acc>(in.width)};
  }
};

inline float Root(float v) { return __builtin_sqrtf(v); }
inline double Root(double v) { return __builtin_sqrt(v); }

// t = (x - mean)*inv_std_dev, or x*inv_std_dev + (-mean*inv_std_dev); RMSNorm: x*inv_std_dev.
template <typename Elem, norm::Form form>
Elem Normalized(bool centred, Elem x, Elem mean, Elem inv_std_dev) {
  if (!centred) return x * inv_std_dev;
  if constexpr (form == norm::Form::kCentred) return (x - mean) * inv_std_dev;
  return x * inv_std_dev + -mean * inv_std_dev;
}

template <typename Elem, norm::Form form>
void WriteElements(const RowInput& in, Elem mean, Elem inv_std_dev, double* y) {
  for (std::size_t k = 0; k < in.width; ++k) {
    const Elem gamma = in.gamma == nullptr ? 1 : static_cast<Elem>(in.gamma[k]);
    const Elem beta = in.beta == nullptr ? 0 : static_cast<Elem>(in.beta[k]);
    const Elem t = Normalized<Elem, form>(in.centred, static_cast<Elem>(in.x[k]), mean, inv_std_dev);
    y[k] = static_cast<double>(t * gamma + beta);
  }
}

template <typename Algorithm, typename OrderOf, typename Acc, typename Elem, norm::Form form>
void RunRow(const RowInput& in, RowOutput& out) {
  Moments<Acc> moments = {0, 0};
  if (!in.averaged) moments.spread = SumOfSquares<Acc>(in, OrderOf());
  else if (!in.centred) moments.spread = MeanSquare<Acc>(in, OrderOf());
  else moments = Algorithm::template Of<Acc, Elem>(in, OrderOf());
  const Acc inv_std_dev = 1 / Root(moments.spread + static_cast<Acc>(in.epsilon));
  const Elem mean = static_cast<Elem>(moments.mean);
  WriteElements<Elem, form>(in, mean, static_cast<Elem>(inv_std_dev), out.y);
  out.mean = static_cast<double>(mean);
  out.inv_std_dev = static_cast<double>(static_cast<Elem>(inv_std_dev));
}

template <typename T>
constexpr norm::Precision kPrecisionOf = sizeof(T) == 4 ? norm::Precision::kF32 : norm::Precision::kF64;

template <typename Algorithm, typename OrderOf, typename Acc, typename Elem, norm::Form form = norm::Form::kCentred>
constexpr ProfileRow kRow = {
    Algorithm::kName,
    {Algorithm::kAlgorithm, OrderOf::kOrder, OrderOf::kBlock, kPrecisionOf<Acc>, kPrecisionOf<Elem>, form},
    &RunRow<Algorithm, OrderOf, Acc, Elem, form>};

constexpr norm::Form kScaleBias = norm::Form::kScaleBias;

constexpr ProfileRow kRows[] = {
    kRow<TwoPass, Recursive, float, float>,
    kRow<TwoPass, Lanes<8>, float, float>,
    kRow<TwoPass, Lanes<32>, float, float>,
    kRow<TwoPass, Pairwise<8>, float, float>,
    kRow<OnePass, Recursive, float, float>,
    kRow<OnePass, Lanes<8>, float, float>,
    kRow<OnePass, Lanes<32>, float, float>,
    kRow<OnePass, Pairwise<8>, float, float>,
    kRow<Welford, Recursive, float, float>,
    kRow<Welford, Lanes<8>, float, float>,
    kRow<Welford, Lanes<32>, float, float>,
    kRow<TwoPass, Recursive, float, float, kScaleBias>,
    kRow<TwoPass, Lanes<32>, float, float, kScaleBias>,
    kRow<TwoPass, Pairwise<8>, float, float, kScaleBias>,
    kRow<OnePass, Recursive, float, float, kScaleBias>,
    kRow<OnePass, Lanes<8>, float, float, kScaleBias>,
    kRow<Welford, Lanes<8>, float, float, kScaleBias>,
    kRow<TwoPass, Recursive, double, double>,
    kRow<TwoPass, Lanes<8>, double, double>,
    kRow<OnePass, Recursive, double, double>,
    kRow<OnePass, Lanes<8>, double, double, kScaleBias>,
    kRow<Welford, Recursive, double, double>,
    kRow<Welford, Lanes<8>, double, double>,
    kRow<TwoPass, Lanes<8>, double, float>,
    kRow<OnePass, Recursive, double, float>,
    kRow<OnePass, Lanes<8>, double, float, kScaleBias>,
};
