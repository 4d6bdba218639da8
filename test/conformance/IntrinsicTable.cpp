//===- IntrinsicTable.cpp - One small kernel for each intrinsic -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families in the order of the simulator's files. Not compared, because their
// result is not defined to the bit: clocks, membar, fence, nanosleep, prefetch,
// applypriority, exit, and the registers warpid, nwarpid, smid, gridid and
// total_smem_size.
//
//===----------------------------------------------------------------------===//

#include "IntrinsicTable.h"

#include <algorithm>

using namespace mlir::magicube::conformance;

namespace {

using Cases = std::vector<IntrinsicCase>;

constexpr uint32_t allBits = 0xFFFFFFFF;

/// An operand of a call: random bits of a type, or fixed IR text.
struct Operand {
  /// i1, i32, i64 or float.
  std::string type;
  uint32_t mask = allBits;
  /// If not empty, the value.
  std::string literal = {};
};

Operand fixed(const std::string &type, const std::string &value) {
  return {type, allBits, value};
}

const Operand word{"i32"};
const Operand wholeWarp = fixed("i32", "-1");

} // namespace

static std::string number(size_t value) { return std::to_string(value); }

static std::string symbol(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

//===----------------------------------------------------------------------===//
// Plain calls
//===----------------------------------------------------------------------===//

/// The operand as "type value"; its words and conversions go to `row`.
static std::string makeOperand(IntrinsicCase &row, const Operand &operand,
                               const std::string &name) {
  if (!operand.literal.empty())
    return operand.type + " " + operand.literal;
  std::string low = "%w" + number(row.inputMasks.size());
  row.inputMasks.push_back(operand.mask);
  if (operand.type == "i32")
    return "i32 " + low;
  if (operand.type == "i1")
    row.body += "  %" + name + " = trunc i32 " + low + " to i1\n";
  if (operand.type == "float")
    row.body += "  %" + name + " = bitcast i32 " + low + " to float\n";
  if (operand.type == "i64") {
    std::string high = "%w" + number(row.inputMasks.size());
    row.inputMasks.push_back(operand.mask);
    row.body += "  %" + name + ".l = zext i32 " + low + " to i64\n  %" + name +
                ".h = zext i32 " + high + " to i64\n  %" + name +
                ".s = shl i64 %" + name + ".h, 32\n  %" + name + " = or i64 %" +
                name + ".s, %" + name + ".l\n";
  }
  return operand.type + " %" + name;
}

/// Output word `index` from `%value` of a type.
static std::string makeResult(size_t index, const std::string &type,
                              const std::string &value) {
  std::string result = "  %r" + number(index) + " = ";
  if (type == "i1")
    return result + "zext i1 " + value + " to i32\n";
  if (type == "float")
    return result + "bitcast float " + value + " to i32\n";
  return result + "or i32 " + value + ", 0\n";
}

/// Appends a call of `callee` and the output words of its results.
static void addCall(IntrinsicCase &row, const std::string &callee,
                    const std::string &arguments,
                    const std::vector<std::string> &results) {
  std::string type = results.front();
  if (results.size() > 1) {
    type = "{ ";
    for (size_t i = 0; i < results.size(); ++i)
      type += (i ? ", " : "") + results[i];
    type += " }";
  }
  row.body +=
      "  %v = call " + type + " @llvm.nvvm." + callee + "(" + arguments + ")\n";
  for (size_t i = 0; i < results.size(); ++i) {
    std::string value = "%v";
    if (results.size() > 1) {
      value = "%v" + number(i);
      row.body +=
          "  " + value + " = extractvalue " + type + " %v, " + number(i) + "\n";
    }
    row.body += makeResult(i, results[i], value);
  }
  row.outputWords = static_cast<unsigned>(results.size());
}

/// A kernel that calls an intrinsic; `variant` tells kernels of one apart.
static IntrinsicCase call(const std::string &intrinsic,
                          const std::vector<Operand> &operands,
                          const std::vector<std::string> &results,
                          const std::string &variant = "",
                          const std::string &prologue = "") {
  IntrinsicCase row;
  row.name = symbol(intrinsic + variant);
  row.body = prologue;
  std::string arguments;
  for (size_t i = 0; i < operands.size(); ++i)
    arguments +=
        (i ? ", " : "") + makeOperand(row, operands[i], "a" + number(i));
  addCall(row, intrinsic, arguments, results);
  return row;
}

//===----------------------------------------------------------------------===//
// Scalar operations
//===----------------------------------------------------------------------===//

static void addScalar(Cases &cases) {
  cases.push_back(call("prmt", {word, word, word}, {"i32"}));
  for (const char *mode : {"f4e", "b4e"})
    cases.push_back(
        call(std::string("prmt.") + mode, {word, word, word}, {"i32"}));
  for (const char *mode : {"rc8", "ecl", "ecr", "rc16"})
    cases.push_back(call(std::string("prmt.") + mode, {word, word}, {"i32"}));
  // Selectors that the compiler uses, and one that copies signs.
  for (uint32_t selector : {0x6420, 0x7531, 0x6240, 0x7351, 0x4240, 0x2404,
                            0x4341, 0x3414, 0x5410, 0xBA98})
    cases.push_back(call("prmt", {word, word, fixed("i32", number(selector))},
                         {"i32"}, "." + number(selector)));
  for (const char *signs : {"s.s", "s.u", "u.s", "u.u"}) {
    cases.push_back(
        call(std::string("idp4a.") + signs, {word, word, word}, {"i32"}));
    for (const char *high : {"false", "true"})
      cases.push_back(call(std::string("idp2a.") + signs,
                           {word, word, fixed("i1", high), word}, {"i32"},
                           std::string(".") + high));
  }
  // Random exponents are seldom those of numbers that have to be rounded.
  for (auto [name, convert] :
       {std::pair("f2i.rn", "sitofp"), std::pair("f2ui.rn", "uitofp")}) {
    cases.push_back(call(name, {{"float"}}, {"i32"}));
    cases.push_back(call(name, {fixed("float", "%scaled")}, {"i32"}, ".small",
                         std::string("  %int = ") + convert +
                             " i32 %w0 to float\n"
                             "  %scaled = fmul float %int, "
                             "0x3E80000000000000\n"));
    cases.back().inputMasks = {allBits};
  }
  // Nor those of sums within [0, 1].
  cases.push_back(
      call("fma.rn.sat.f", {{"float"}, {"float"}, {"float"}}, {"float"}));
  std::string scale;
  for (const char *index : {"0", "1", "2"})
    scale += std::string("  %i") + index + " = sitofp i32 %w" + index +
             " to float\n  %s" + index + " = fmul float %i" + index +
             ", 0x3E00000000000000\n";
  cases.push_back(call(
      "fma.rn.sat.f",
      {fixed("float", "%s0"), fixed("float", "%s1"), fixed("float", "%s2")},
      {"float"}, ".small", scale));
  cases.back().inputMasks = {allBits, allBits, allBits};
  for (const char *name : {"mulhi.i", "mulhi.ui"})
    cases.push_back(call(name, {word, word}, {"i32"}));
}

static void addRegisters(Cases &cases) {
  for (const char *name :
       {"tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x",
        "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z", "laneid",
        "warpsize", "lanemask.eq", "lanemask.le", "lanemask.lt", "lanemask.ge",
        "lanemask.gt"}) {
    cases.push_back(call(std::string("read.ptx.sreg.") + name, {}, {"i32"}));
    cases.back().threads = 96;
  }
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

namespace {

/// PTX ISA "mma": shape, element bits, registers of A, B and C.
struct MmaRow {
  const char *shape;
  unsigned bits, registersA, registersB, registersC;
};

constexpr MmaRow mmaRows[] = {
    {"m8n8k16", 8, 1, 1, 2}, {"m16n8k16", 8, 2, 1, 4}, {"m16n8k32", 8, 4, 2, 4},
    {"m8n8k32", 4, 1, 1, 2}, {"m16n8k32", 4, 2, 1, 4}, {"m16n8k64", 4, 4, 2, 4},
};

} // namespace

static void addMma(Cases &cases) {
  for (const MmaRow &row : mmaRows)
    for (const char *signs : {"ss", "su", "us", "uu"})
      for (const char *overflow : {"", "satfinite."}) {
        std::string a = signs[0] + number(row.bits);
        std::string b = signs[1] + number(row.bits);
        std::vector<Operand> operands(
            row.registersA + row.registersB + row.registersC, word);
        cases.push_back(call(std::string("mma.") + row.shape + ".row.col." +
                                 overflow + (a == b ? a : a + "." + b),
                             operands,
                             std::vector<std::string>(row.registersC, "i32")));
      }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Address %NAME of byte `offset` (an i32 value) of shared memory.
static std::string sharedAddress(const std::string &name,
                                 const std::string &offset) {
  return "  %" + name + " = getelementptr i8, ptr addrspace(3) @smem, i32 " +
         offset + "\n";
}

static const char *const syncWarp =
    "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n";

/// The lane's 16 bytes at %own.
static std::string ownBytes() {
  return "  %own.byte = mul i32 %lane, 16\n" +
         sharedAddress("own", "%own.byte");
}

/// Output words from the lane's 16 bytes.
static std::string loadOwnBytes() {
  std::string text = "  %own.v = load <4 x i32>, ptr addrspace(3) %own, "
                     "align 16\n";
  for (unsigned i = 0; i < 4; ++i)
    text += "  %r" + number(i) + " = extractelement <4 x i32> %own.v, i32 " +
            number(i) + "\n";
  return text;
}

/// The rows of up to four matrices in shared memory, addresses of any of them.
static IntrinsicCase loadMatrix(unsigned count, bool transposed) {
  std::string callee = "ldmatrix.sync.aligned.m8n8.x" + number(count) +
                       (transposed ? ".trans" : "") + ".b16";
  IntrinsicCase row;
  row.name = symbol(callee);
  constexpr uint32_t anyRow = 31;
  row.inputMasks = {allBits, allBits, allBits, allBits, anyRow};
  row.body = ownBytes();
  for (unsigned i = 0; i < 4; ++i) {
    std::string n = number(i);
    row.body += "  %own.p" + n +
                " = getelementptr i32, ptr addrspace(3) %own, i32 " + n +
                "\n  store i32 %w" + n + ", ptr addrspace(3) %own.p" + n +
                ", align 4\n";
  }
  row.body += syncWarp;
  row.body +=
      "  %row.byte = mul i32 %w4, 16\n" + sharedAddress("row", "%row.byte");
  addCall(row, callee + ".p3", "ptr addrspace(3) %row",
          std::vector<std::string>(count, "i32"));
  return row;
}

/// Stores to a permutation of the rows, into memory of zeros.
static IntrinsicCase storeMatrix(unsigned count, bool transposed) {
  std::string callee = "stmatrix.sync.aligned.m8n8.x" + number(count) +
                       (transposed ? ".trans" : "") + ".b16";
  IntrinsicCase row;
  row.name = symbol(callee);
  row.minCapability = 90;
  row.inputMasks.assign(count, allBits);
  row.outputWords = 4;
  row.body = ownBytes() +
             "  store <4 x i32> zeroinitializer, ptr addrspace(3) %own, "
             "align 16\n" +
             syncWarp +
             "  %order = mul i32 %cta, 7\n"
             "  %flip = and i32 %order, 31\n"
             "  %row.index = xor i32 %lane, %flip\n"
             "  %row.byte = mul i32 %row.index, 16\n" +
             sharedAddress("row", "%row.byte") + "  call void @llvm.nvvm." +
             callee + ".p3(ptr addrspace(3) %row";
  for (unsigned i = 0; i < count; ++i)
    row.body += ", i32 %w" + number(i);
  row.body += ")\n";
  row.body += syncWarp + loadOwnBytes();
  return row;
}

/// Copies over a pattern; with a source size, any number of bytes up to
/// `bytes`.
static IntrinsicCase copyAsync(const std::string &cache, unsigned bytes,
                               bool hasSize, bool byGroup) {
  std::string callee = "cp.async." + cache + ".shared.global." + number(bytes) +
                       (hasSize ? ".s" : "");
  IntrinsicCase row;
  row.name = symbol(callee) + (byGroup ? "_group" : "_all");
  row.inputMasks.assign(4, allBits);
  row.outputWords = 4;
  row.body = ownBytes() +
             "  store <4 x i32> splat (i32 1515870810), ptr addrspace(3) "
             "%own, align 16\n"
             "  %mix = add i32 %lane, %cta\n"
             "  %size = urem i32 %mix, " +
             number(bytes + 1) + "\n  call void @llvm.nvvm." + callee +
             "(ptr addrspace(3) %own, ptr addrspace(1) %inp" +
             (hasSize ? ", i32 %size" : "") + ")\n";
  row.body += byGroup ? "  call void @llvm.nvvm.cp.async.commit.group()\n"
                        "  call void @llvm.nvvm.cp.async.wait.group(i32 0)\n"
                      : "  call void @llvm.nvvm.cp.async.wait.all()\n";
  row.body += syncWarp + loadOwnBytes();
  return row;
}

static void addSharedMemory(Cases &cases) {
  for (bool transposed : {false, true})
    for (unsigned count : {1, 2, 4}) {
      cases.push_back(loadMatrix(count, transposed));
      cases.push_back(storeMatrix(count, transposed));
    }
  for (bool hasSize : {false, true})
    for (bool byGroup : {false, true}) {
      for (unsigned bytes : {4, 8, 16})
        cases.push_back(copyAsync("ca", bytes, hasSize, byGroup));
      cases.push_back(copyAsync("cg", 16, hasSize, byGroup));
    }
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Writes a word, meets, reads another thread's.
static IntrinsicCase exchange(const std::string &callee,
                              const std::string &arguments, unsigned threads,
                              unsigned distance) {
  IntrinsicCase row;
  row.name = symbol(callee);
  row.threads = threads;
  row.inputMasks = {allBits};
  row.body =
      "  %own.byte = mul i32 %tid, 4\n" + sharedAddress("own", "%own.byte") +
      "  store i32 %w0, ptr addrspace(3) %own, align 4\n"
      "  call void @llvm.nvvm." +
      callee + "(" + arguments +
      ")\n"
      "  %far = add i32 %tid, " +
      number(distance) + "\n  %other = urem i32 %far, " + number(threads) +
      "\n"
      "  %other.byte = mul i32 %other, 4\n" +
      sharedAddress("peer", "%other.byte") +
      "  %r0 = load i32, ptr addrspace(3) %peer, align 4\n";
  return row;
}

/// The first warp writes and arrives, the second one waits and reads.
static IntrinsicCase arrive(const std::string &aligned) {
  IntrinsicCase row;
  row.name = symbol("barrier.cta.arrive" + aligned + ".count");
  row.threads = 64;
  row.inputMasks = {allBits};
  row.body = "  %byte = mul i32 %lane, 4\n" + sharedAddress("cell", "%byte") +
             "  %first.warp = icmp ult i32 %tid, 32\n"
             "  br i1 %first.warp, label %write, label %read\n"
             "write:\n"
             "  store i32 %w0, ptr addrspace(3) %cell, align 4\n"
             "  call void @llvm.nvvm.barrier.cta.arrive" +
             aligned +
             ".count(i32 1, i32 64)\n"
             "  br label %end\n"
             "read:\n"
             "  call void @llvm.nvvm.barrier.cta.sync" +
             aligned +
             ".count(i32 1, i32 64)\n"
             "  %got = load i32, ptr addrspace(3) %cell, align 4\n"
             "  br label %end\n"
             "end:\n"
             "  %r0 = phi i32 [ %w0, %write ], [ %got, %read ]\n";
  return row;
}

static void addBarriers(Cases &cases) {
  constexpr unsigned threads = 96;
  for (std::string aligned : {".aligned", ""}) {
    cases.push_back(
        exchange("barrier.cta.sync" + aligned + ".all", "i32 0", threads, 37));
    cases.push_back(exchange("barrier.cta.sync" + aligned + ".count",
                             "i32 3, i32 96", threads, 53));
    cases.push_back(arrive(aligned));
    for (std::string reduction : {"popc", "and", "or"}) {
      std::string callee = "barrier.cta.red." + reduction + aligned;
      std::string result = reduction == "popc" ? "i32" : "i1";
      cases.push_back(
          call(callee + ".all", {fixed("i32", "0"), {"i1"}}, {result}));
      cases.back().threads = threads;
      cases.push_back(call(callee + ".count",
                           {fixed("i32", "2"), fixed("i32", "96"), {"i1"}},
                           {result}));
      cases.back().threads = threads;
    }
  }
  cases.push_back(exchange("bar.warp.sync", "i32 -1", 32, 11));
}

//===----------------------------------------------------------------------===//
// Exchange between lanes
//===----------------------------------------------------------------------===//

/// %half: the lanes of the thread's half of the warp.
static const char *const halfMask =
    "  %upper = icmp uge i32 %lane, 16\n"
    "  %half = select i1 %upper, i32 -65536, i32 65535\n";
static const Operand halfWarp = fixed("i32", "%half");

static void addShuffles(Cases &cases) {
  for (std::string mode : {"up", "down", "bfly", "idx"}) {
    for (std::string type : {"i32", "f32"}) {
      Operand value{type == "i32" ? "i32" : "float"};
      std::string callee = "shfl.sync." + mode + "." + type;
      cases.push_back(
          call(callee, {wholeWarp, value, word, word}, {value.type}));
      cases.push_back(call(callee + "p", {wholeWarp, value, word, word},
                           {value.type, "i1"}));
    }
    // Segments of 16 lanes: (32 - 16) << 8, and the clamp of the mode.
    Operand control = fixed("i32", mode == "up" ? "4096" : "4127");
    cases.push_back(call("shfl.sync." + mode + ".i32p",
                         {halfWarp, word, {"i32", 15}, control}, {"i32", "i1"},
                         ".half", halfMask));
  }
}

static void addVotes(Cases &cases) {
  // Values that several lanes share.
  constexpr uint32_t few = 3;
  for (bool isHalf : {false, true}) {
    const Operand &mask = isHalf ? halfWarp : wholeWarp;
    std::string variant = isHalf ? ".half" : "";
    std::string prologue = isHalf ? halfMask : "";
    for (const char *mode : {"all", "any", "uni"})
      cases.push_back(call(std::string("vote.") + mode + ".sync",
                           {mask, {"i1"}}, {"i1"}, variant, prologue));
    cases.push_back(
        call("vote.ballot.sync", {mask, {"i1"}}, {"i32"}, variant, prologue));
    for (const char *type : {"i32", "i64"}) {
      cases.push_back(call(std::string("match.any.sync.") + type,
                           {mask, {type, few}}, {"i32"}, variant, prologue));
      cases.push_back(call(std::string("match.all.sync.") + type + "p",
                           {mask, {type, few}}, {"i32", "i1"}, variant,
                           prologue));
    }
    for (const char *operation :
         {"add", "min", "max", "umin", "umax", "and", "or", "xor"})
      cases.push_back(call(std::string("redux.sync.") + operation, {word, mask},
                           {"i32"}, variant, prologue));
  }
  cases.push_back(call("elect.sync", {wholeWarp}, {"i32", "i1"}));
  cases.back().minCapability = 90;
}

//===----------------------------------------------------------------------===//
// Inline assembly
//===----------------------------------------------------------------------===//

static IntrinsicCase streamingStore(const std::string &form,
                                    const std::string &text,
                                    const std::string &constraints,
                                    unsigned words) {
  IntrinsicCase row;
  row.name = symbol("st.global.cs." + form);
  row.inputMasks.assign(words, allBits);
  row.outputWords = words;
  row.storesItself = true;
  row.body = "  call void asm sideeffect \"" + text + "\", \"" + constraints +
             "\"(ptr addrspace(1) %outp";
  for (unsigned i = 0; i < words; ++i)
    row.body += ", i32 %w" + number(i);
  row.body += ")\n";
  return row;
}

/// lop3 as the lowering writes it; its function is in the text.
static IntrinsicCase selectBits() {
  IntrinsicCase row;
  row.name = "lop3_b32_select";
  row.inputMasks.assign(3, allBits);
  row.outputWords = 1;
  row.body = "  %r0 = call i32 asm \"lop3.b32 $0, $1, $2, $3, 0xca;\", "
             "\"=r,r,r,r\"(i32 %w0, i32 %w1, i32 %w2)\n";
  return row;
}

static IntrinsicCase copyRegister() {
  IntrinsicCase row;
  row.name = symbol("mov.b32");
  row.inputMasks.assign(1, allBits);
  row.outputWords = 1;
  row.body = "  %r0 = call i32 asm sideeffect \"mov.b32 $0, $1;\", "
             "\"=r,r\"(i32 %w0)\n";
  return row;
}

static void addInlineAssembly(Cases &cases) {
  cases.push_back(selectBits());
  cases.push_back(copyRegister());
  for (const char *type : {"b32", "u32"})
    cases.push_back(streamingStore(
        type, std::string("st.global.cs.") + type + " [$0], $1;", "l,r", 1));
  cases.push_back(streamingStore(
      "v2.b32", "st.global.cs.v2.b32 [$0], {$1, $2};", "l,r,r", 2));
  cases.push_back(streamingStore(
      "v4.b32", "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r", 4));
  IntrinsicCase lop3;
  lop3.name = symbol("lop3.b32");
  lop3.inputMasks.assign(3, allBits);
  lop3.outputWords = 1;
  lop3.body = "  %value = call i32 asm \"lop3.b32 $0, $1, $2, $3, 0x6a;\", "
              "\"=r,r,r,r\"(i32 %w0, i32 %w1, i32 %w2)\n";
  lop3.body += makeResult(0, "i32", "%value");
  cases.push_back(lop3);
}

Cases mlir::magicube::conformance::intrinsicCases() {
  Cases cases;
  addSharedMemory(cases);
  addBarriers(cases);
  addMma(cases);
  addScalar(cases);
  addRegisters(cases);
  addShuffles(cases);
  addVotes(cases);
  addInlineAssembly(cases);
  return cases;
}
