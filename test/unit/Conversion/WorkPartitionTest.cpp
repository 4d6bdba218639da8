//===- WorkPartitionTest.cpp - Work partitions on their own ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that only partition work, run on the simulator: ranges are complete,
// in order and even, whatever the lengths of the vector-rows.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include "dialect/magicube/MagicubeDialect.h"
#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "lib/Conversion/MagicubeToMagicubeGPU/Placement/DenseTile.h"
#include "lib/Conversion/MagicubeToMagicubeGPU/WorkPartition/BalancedRanges.h"
#include "lib/Conversion/MagicubeToMagicubeGPU/WorkPartition/RowsPerCta.h"
#include "lib/Conversion/MagicubeToMagicubeGPU/WorkPartition/SegmentRanges.h"
#include "magicube/Layout/StepLayout.h"
#include "magicube/Layout/WorkTables.h"
#include "magicube/Serialize/Compiler.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

constexpr int64_t kWarps = 4;
constexpr int64_t kThreads = kWarps * kWarpSize;
constexpr int64_t kStride = 32;
constexpr int64_t kCost = 2 * kStepPositions;
/// Of a kernel with the same warps; only its tables are allocated here.
constexpr int64_t kInner = 96;
constexpr SharedMemoryNumbers kMemory = {/*vector=*/8, /*valueBits=*/8,
                                         /*denseBits=*/8, /*tileN=*/16, kWarps};

/// Bodies of kernels @k(pointers, number of vector-rows, output).
using Body = function_ref<void(Arithmetic, Value, Value, Value)>;

/// Writes a word of `out`.
void store(Arithmetic e, Value out, Value index, Value word) {
  LLVM::StoreOp::create(e.b, e.loc, word, e.offset(out, e.mul(index, 4)), 4);
}

/// What the simulator takes.
std::string compile(Body body) {
  std::unique_ptr<MLIRContext> context = createCompilerContext();
  context->loadAllAvailableDialects();
  OpBuilder b(context.get());
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  auto gpuModule = gpu::GPUModuleOp::create(b, loc, "kernels");
  b.setInsertionPointToStart(gpuModule.getBody());
  Type pointer = LLVM::LLVMPointerType::get(context.get(), /*addressSpace=*/1);
  auto kernel = gpu::GPUFuncOp::create(
      b, loc, "k", b.getFunctionType({pointer, b.getI32Type(), pointer}, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({kThreads, 1, 1}));
  b.setInsertionPointToStart(&kernel.getBody().front());
  body({b, loc}, kernel.getArgument(0), kernel.getArgument(1),
       kernel.getArgument(2));
  gpu::ReturnOp::create(b, loc);
  CompileOptions options;
  if (failed(runStages(*module, options)) ||
      failed(serializeKernels(*module, BinaryFormat::Offload)))
    return {};
  FailureOr<std::string> image = getSerializedKernels(*module);
  return succeeded(image) ? *image : std::string();
}

/// Pointers of vector-rows: [row][segment] of first position and end.
struct Rows {
  std::vector<uint32_t> pointers;
  int64_t segments;

  int64_t count() const { return pointers.size() / 2 / segments; }
  uint32_t start(int64_t row, int64_t segment = 0) const {
    return pointers[(row * segments + segment) * 2];
  }
  /// Padded.
  uint32_t end(int64_t row, int64_t segment) const {
    return llvm::alignTo(pointers[(row * segments + segment) * 2 + 1], kStride);
  }
  uint32_t end(int64_t row) const { return end(row, segments - 1); }
  int64_t total() const { return end(count() - 1); }
};

/// Lengths that `draw` gives, one after another.
Rows makeRows(int64_t count, int64_t segments,
              const std::function<int64_t()> &draw) {
  Rows rows{{}, segments};
  int64_t position = 0;
  for (int64_t i = 0; i < count * segments; ++i) {
    int64_t end = position + draw();
    rows.pointers.push_back(position);
    rows.pointers.push_back(end);
    position = llvm::alignTo(end, kStride);
  }
  return rows;
}

/// Even, skewed, mostly empty, and all empty vector-rows; one long one.
std::vector<Rows> getCases(int64_t segments) {
  std::mt19937 random(7);
  auto below = [&](int64_t limit) { return int64_t(random() % limit); };
  std::vector<Rows> cases;
  for (int64_t count : {1, 3, 40, 300}) {
    cases.push_back(makeRows(count, segments, [&] { return 100 + below(60); }));
    cases.push_back(
        makeRows(count, segments, [&] { return below(8) ? 0 : below(900); }));
    cases.push_back(makeRows(count, segments, [&] { return below(4000) / 3; }));
    cases.push_back(makeRows(count, segments, [] { return 0; }));
    int64_t i = 0;
    cases.push_back(
        makeRows(count, segments, [&] { return i++ == count / 2 ? 9000 : 7; }));
  }
  return cases;
}

/// Runs @k on `ctas` blocks; what is in `words` words of output.
std::vector<uint32_t> run(const std::string &image, const Rows &rows,
                          int64_t ctas, int64_t words, const char *order) {
  Simulation simulation(image, {{"warp-order", order}});
  void *pointers = simulation.upload(rows.pointers);
  void *out = simulation.upload(std::vector<uint32_t>(words, 0xFFFFFFFF));
  uint32_t count = rows.count();
  Simulation::check(simulation.launch("k", {uint32_t(ctas)}, {kThreads},
                                      /*sharedBytes=*/32 * 1024, pointers,
                                      count, out));
  return simulation.download<uint32_t>(out, words);
}

//===----------------------------------------------------------------------===//
// Balanced ranges
//===----------------------------------------------------------------------===//

/// Words of a start: row, inside, position.
constexpr int64_t kStartWords = 3;

std::string compileBalanced() {
  return compile([](Arithmetic e, Value pointers, Value rows, Value out) {
    SharedMemoryPlan memory = SharedMemoryPlan::getStationary(kMemory, kInner);
    Value starts = allocate(e, memory.get(SharedBufferRole::RangeStarts));
    BalancedRanges ranges{
        {pointers, /*segments=*/1, kStride}, rows, kCost, kThreads, starts};
    Value cta = e.ctaId(gpu::Dimension::x);
    BalancedRanges::Loaded loaded = ranges.load(e);
    ranges.partitionAll(e, loaded, cta, e.numCtas(gpu::Dimension::x));
    gpu::BarrierOp::create(e.b, e.loc);
    ranges.partitionCta(e, loaded);
    gpu::BarrierOp::create(e.b, e.loc);
    Value warp = e.threadId();
    e.emitIf(e.isBelow(warp, e.constant(kWarps + 1)), [&] {
      BalancedRanges::Start start = ranges.loadStart(e, warp);
      Value first = e.mul(e.add(e.mul(cta, kWarps + 1), warp), kStartWords);
      Value words[] = {start.row, start.inside, start.position};
      for (auto [i, word] : llvm::enumerate(words))
        store(e, out, e.add(first, i), word);
    });
  });
}

struct Start {
  int64_t row, inside, position;

  int64_t work() const { return position + row * kCost; }
};

void checkBalanced(const Rows &rows, int64_t ctas,
                   const std::vector<uint32_t> &words) {
  auto start = [&](int64_t cta, int64_t warp) -> Start {
    const uint32_t *word = &words[(cta * (kWarps + 1) + warp) * kStartWords];
    return {word[0], word[1], word[2]};
  };
  int64_t longest = 0;
  for (int64_t row = 0; row < rows.count(); ++row)
    longest = std::max<int64_t>(longest, rows.end(row) - rows.start(row));
  int64_t mean = (rows.total() + rows.count() * kCost) / ctas;
  EXPECT_EQ(start(0, 0).row, 0);
  EXPECT_EQ(start(ctas - 1, kWarps).row, rows.count());
  EXPECT_EQ(start(ctas - 1, kWarps).position, rows.total());
  for (int64_t cta = 0; cta < ctas; ++cta) {
    Start first = start(cta, 0), last = start(cta, kWarps);
    EXPECT_FALSE(first.inside);
    if (cta + 1 < ctas) {
      EXPECT_EQ(last.row, start(cta + 1, 0).row);
      EXPECT_EQ(last.position, start(cta + 1, 0).position);
    }
    int64_t work = last.work() - first.work();
    EXPECT_LE(work, mean + longest + kCost + ctas);
    for (int64_t warp = 0; warp < kWarps; ++warp) {
      Start from = start(cta, warp), to = start(cta, warp + 1);
      EXPECT_LE(from.work(), to.work());
      // A cut is at the next step, or behind what a vector-row costs.
      EXPECT_LE(to.work() - from.work(),
                llvm::divideCeil(work, kWarps) + kStepPositions + kCost);
      if (from.row == rows.count()) {
        EXPECT_EQ(from.position, rows.total());
        continue;
      }
      EXPECT_EQ((from.position - rows.start(from.row)) % kStepPositions, 0);
      EXPECT_EQ(from.inside, from.position > rows.start(from.row));
      EXPECT_TRUE(!from.inside || from.position < rows.end(from.row));
    }
  }
}

TEST(BalancedRanges, CompleteInOrderAndEven) {
  std::string image = compileBalanced();
  ASSERT_FALSE(image.empty());
  for (const Rows &rows : getCases(/*segments=*/1))
    for (int64_t ctas : {1, 3, 8})
      for (const char *order : {"forward", "reverse"}) {
        SCOPED_TRACE(std::to_string(rows.count()) + " vector-rows, " +
                     std::to_string(ctas) + " CTAs");
        checkBalanced(
            rows, ctas,
            run(image, rows, ctas, ctas * (kWarps + 1) * kStartWords, order));
      }
}

//===----------------------------------------------------------------------===//
// Vector-rows per CTA, and ranges across K segments
//===----------------------------------------------------------------------===//

constexpr int64_t kSegments = 3, kRowsPerCta = 5;
constexpr int64_t kRangeWords = 1 + kSegments;
/// The CTA's vector-rows, then by warp the first row and a position a segment.
constexpr int64_t kCtaWords = 2 + (kWarps + 1) * kRangeWords;

std::string compileSegments() {
  return compile([](Arithmetic e, Value pointers, Value rows, Value out) {
    SharedMemoryPlan memory = SharedMemoryPlan::getStationaryKTiles(
        kMemory, kInner, kInner / kSegments, kRowsPerCta, /*smemStages=*/1);
    Value pairs = allocate(e, memory.get(SharedBufferRole::SegmentPointers));
    Value starts = allocate(e, memory.get(SharedBufferRole::RangeStarts));
    StoredPointers stored{pointers, kSegments, kStride};
    RowsPerCta partition{stored, rows, kRowsPerCta, kThreads};
    SegmentRanges ranges{stored, kCost, kThreads, pairs, starts};
    Value cta = e.ctaId(gpu::Dimension::x);
    RowsPerCta::Rows own = partition.partition(
        e, partition.load(e), cta, e.numCtas(gpu::Dimension::x), starts);
    ranges.copyPairs(e, own.first, own.end);
    NVVM::CpAsyncCommitGroupOp::create(e.b, e.loc);
    NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, /*n=*/0);
    gpu::BarrierOp::create(e.b, e.loc);
    Value count = e.sub(own.end, own.first);
    ranges.partition(e, count);
    gpu::BarrierOp::create(e.b, e.loc);
    Value warp = e.threadId(), first = e.mul(cta, kCtaWords);
    e.emitIf(e.isEqual(warp, 0), [&] {
      store(e, out, first, own.first);
      store(e, out, e.add(first, 1), own.end);
    });
    e.emitIf(e.isBelow(warp, e.constant(kWarps + 1)), [&] {
      Value place = e.add(e.add(first, 2), e.mul(warp, kRangeWords));
      Value row = ranges.loadFirstRow(e, warp);
      store(e, out, place, row);
      // Behind the last vector-row there is no position.
      e.emitIf(e.isBelow(row, count), [&] {
        for (int64_t s = 0; s < kSegments; ++s)
          store(e, out, e.add(place, 1 + s),
                ranges.loadPosition(e, warp, e.constant(s)));
      });
    });
  });
}

void checkSegments(const Rows &rows, int64_t ctas,
                   const std::vector<uint32_t> &words) {
  int64_t next = 0;
  for (int64_t cta = 0; cta < ctas; ++cta) {
    const uint32_t *word = &words[cta * kCtaWords];
    int64_t first = word[0], end = word[1];
    EXPECT_EQ(first, next);
    EXPECT_LE(end - first, getMostCtaRows(kRowsPerCta));
    next = end;
    const uint32_t *range = word + 2;
    EXPECT_EQ(range[0], 0u);
    EXPECT_EQ(range[kWarps * kRangeWords], end - first);
    for (int64_t warp = 0; warp < kWarps; ++warp, range += kRangeWords) {
      int64_t row = range[0], nextRow = range[kRangeWords];
      EXPECT_LE(row, nextRow);
      for (int64_t s = 0; s < kSegments && row < end - first; ++s) {
        int64_t position = range[1 + s], start = rows.start(first + row, s);
        EXPECT_GE(position, start);
        EXPECT_LE(position, rows.end(first + row, s));
        EXPECT_EQ((position - start) % kStepPositions, 0);
        if (warp == 0)
          EXPECT_EQ(position, start);
        if (row == nextRow)
          EXPECT_LE(position, int64_t(range[kRangeWords + 1 + s]));
      }
    }
  }
  EXPECT_EQ(next, rows.count());
}

TEST(SegmentRanges, CompleteAndInOrder) {
  std::string image = compileSegments();
  ASSERT_FALSE(image.empty());
  for (const Rows &rows : getCases(kSegments))
    for (const char *order : {"forward", "reverse"}) {
      SCOPED_TRACE(std::to_string(rows.count()) + " vector-rows");
      int64_t ctas = llvm::divideCeil(rows.count(), kRowsPerCta);
      checkSegments(rows, ctas,
                    run(image, rows, ctas, ctas * kCtaWords, order));
    }
}

} // namespace
