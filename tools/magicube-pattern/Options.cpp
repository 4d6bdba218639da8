//===- Options.cpp - The command line of magicube-pattern -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of options and what each stores.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <algorithm>
#include <charconv>
#include <set>

using namespace mlir::magicube;

const char *const mlir::magicube::patternHelp =
    R"(usage: magicube-pattern WHAT... [options]

Makes a sparsity pattern: which V x 1 vectors of an M x N matrix are stored.
Prints its numbers, and writes it as a file that magicube-compile --pattern and
sparse arguments take. Rows are queries and columns keys, for attention.

what is kept; what several keep is put together:
  --mask=FILE        the nonzero elements of a .npy file of booleans or
                     integers, the entries of a .mtx file (or .mtx.gz), or the
                     vectors of a .smtx file (or .smtx.gz)
  --block-mask=FILE  the same, but an entry stands for a block of --block
  --block=RxC        size of a block in elements
  --window=W         columns at most W from the row's diagonal
  --window=L,R       columns from L before to R behind the row's diagonal
  --global=G         the first G rows and the first G columns
  --global-rows=G    the first G rows
  --global-columns=G the first G columns
  --strided=S        columns whose distance from the row's diagonal is a
                     multiple of S
  --fixed=S          the last column of each S columns, in all rows alike
  --random=D         in each row of vectors, a part D (0 to 1) of the columns
                     that --causal leaves, chosen as whole vectors
  --dense            everything
  --causal           nothing behind the row's diagonal; alone, everything up to
                     it

shape, in elements:
  --rows=M           rows (default: those of the mask)
  --cols=N           columns (default: those of the mask, or as many as rows)
  --diagonal=O       the diagonal of row r is column r + O (default 0; N - M
                     for queries that are the last of the keys)
  --pad              add rows without entries up to a multiple of V; without
                     it, M that is none is an error

storage:
  --vector=V         rows of a vector: 1, 2, 4, 8 (default) or 16
  --keep=any         store a vector if any of its elements is kept (default):
                     the elements beside it come along, so that a causal
                     pattern reaches up to V - 1 columns behind the diagonal
  --keep=all         store a vector if all of its elements are kept: nothing
                     comes along, but elements may be lost
  --stride=S         vectors that a row is padded to: 8, 16, 32 (default) or
                     64; for the numbers, files are not padded
  --index=TYPE       i32 (default) or u16; for the numbers, as above

output:
  --out=FILE         .smtx (an entry is a vector, to be read with the same V)
                     or .mtx (an entry is an element)
  --statistics=FORM  text (default), json or none
  --seed=N           seed of --random (default 0)
  --help             print this

A window of 64 keys to either side and 16 global keys, for 4096 queries:
  magicube-pattern --rows=4096 --window=64 --global=16 --out=local.smtx
)";

static constexpr const char *seeHelp = "see magicube-pattern --help";

namespace {

/// An option as it was given.
struct OptionText {
  std::string name;
  std::string value;

  Error error(const std::string &expected, const std::string &note = {}) const {
    return {name + " expects " + expected + ", but got '" + value + "'", note};
  }
};

/// A value of an enumeration and its word.
template <typename Value>
struct Choice {
  const char *word;
  Value value;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() > suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

/// Takes a number off `text`.
template <typename Number>
static bool consume(std::string_view &text, Number &number) {
  auto [rest, code] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc())
    return false;
  text.remove_prefix(rest - text.data());
  return true;
}

template <typename Number>
static Status parseNumber(const OptionText &option, Number &number) {
  std::string_view text = option.value;
  if (consume(text, number) && text.empty())
    return {};
  return option.error("a number");
}

/// A whole number from `least` up to what indices hold.
static Status parseCount(const OptionText &option, int64_t &count,
                         int64_t least) {
  std::string_view text = option.value;
  if (consume(text, count) && text.empty() && count >= least &&
      count <= kMaxExtent)
    return {};
  return option.error("a number from " + std::to_string(least) + " to " +
                      std::to_string(kMaxExtent));
}

/// Two numbers with a separator between.
static bool parsePair(std::string_view text, char separator, int64_t &first,
                      int64_t &second) {
  if (!consume(text, first) || text.empty() || text[0] != separator)
    return false;
  text.remove_prefix(1);
  return consume(text, second) && text.empty();
}

template <typename Value, size_t count>
static Status parseChoice(const OptionText &option,
                          const Choice<Value> (&choices)[count], Value &value) {
  std::string words;
  for (size_t i = 0; i < count; ++i) {
    if (option.value == choices[i].word) {
      value = choices[i].value;
      return {};
    }
    words += i == 0 ? "" : i + 1 == count ? " or " : ", ";
    words += choices[i].word;
  }
  return option.error(words);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {

/// What the words before have said.
struct Pending {
  PatternOptions options;
  uint64_t seed = 0;
};

struct OptionRow {
  const char *name;
  bool takesValue;
  Status (*store)(const OptionText &option, Pending &pending);
};

} // namespace

template <typename Part>
static void addPart(Pending &pending, Part part) {
  pending.options.spec.parts.emplace_back(std::move(part));
}

static Status storeFile(const OptionText &option, std::string &file) {
  file = option.value;
  return {};
}

static Status storeBlock(const OptionText &option, Pending &pending) {
  PatternOptions &options = pending.options;
  if (parsePair(option.value, 'x', options.blockRows, options.blockCols) &&
      std::min(options.blockRows, options.blockCols) >= 1)
    return {};
  return option.error("rows x columns of a block, 1x1 at least",
                      "for example --block=64x128");
}

static Status storeWindow(const OptionText &option, Pending &pending) {
  WindowPart window;
  auto isLegal = [](int64_t count) {
    return count >= 0 && count <= kMaxExtent;
  };
  if (!parsePair(option.value, ',', window.left, window.right)) {
    if (!parseCount(option, window.left, 0))
      window.left = -1;
    window.right = window.left;
  }
  if (!isLegal(window.left) || !isLegal(window.right))
    return option.error("columns to either side, or to the left and right",
                        "for example --window=64 or --window=64,0");
  addPart(pending, window);
  return {};
}

static Status storeGlobal(const OptionText &option, Pending &pending) {
  GlobalPart part;
  if (Status s = parseCount(option, part.rows, 0); !s)
    return s;
  part.cols = part.rows;
  if (option.name == "--global-rows")
    part.cols = 0;
  if (option.name == "--global-columns")
    part.rows = 0;
  addPart(pending, part);
  return {};
}

template <typename Part>
static Status storeStep(const OptionText &option, Pending &pending) {
  Part part;
  Status status = parseCount(option, part.step, 1);
  if (status)
    addPart(pending, part);
  return status;
}

static Status storeRandom(const OptionText &option, Pending &pending) {
  RandomPart part;
  std::string_view text = option.value;
  bool isNumber = consume(text, part.density) && text.empty();
  if (!isNumber || !(part.density >= 0 && part.density <= 1))
    return option.error("a density from 0 to 1");
  addPart(pending, part);
  return {};
}

static Status storeRule(const OptionText &option, Pending &pending) {
  constexpr Choice<VectorRule> choices[] = {{"any", VectorRule::Any},
                                            {"all", VectorRule::All}};
  return parseChoice(option, choices, pending.options.spec.rule);
}

static Status storeIndex(const OptionText &option, Pending &pending) {
  constexpr Choice<IndexWidth> choices[] = {{"i32", IndexWidth::I32},
                                            {"u16", IndexWidth::U16}};
  return parseChoice(option, choices, pending.options.encoding.index);
}

static Status storeStatistics(const OptionText &option, Pending &pending) {
  constexpr Choice<StatisticsForm> choices[] = {{"text", StatisticsForm::Text},
                                                {"json", StatisticsForm::Json},
                                                {"none", StatisticsForm::None}};
  return parseChoice(option, choices, pending.options.statistics);
}

static Status storeOut(const OptionText &option, Pending &pending) {
  PatternOptions &options = pending.options;
  options.out = option.value;
  options.isOutOfVectors = endsWith(option.value, ".smtx");
  if (options.isOutOfVectors || endsWith(option.value, ".mtx"))
    return {};
  return option.error("a .smtx or .mtx file");
}

static constexpr OptionRow optionRows[] = {
    {"--help", false,
     [](const OptionText &, Pending &p) {
       p.options.help = true;
       return Status();
     }},
    {"--mask", true,
     [](const OptionText &o, Pending &p) {
       return storeFile(o, p.options.mask);
     }},
    {"--block-mask", true,
     [](const OptionText &o, Pending &p) {
       return storeFile(o, p.options.blockMask);
     }},
    {"--block", true, storeBlock},
    {"--window", true, storeWindow},
    {"--global", true, storeGlobal},
    {"--global-rows", true, storeGlobal},
    {"--global-columns", true, storeGlobal},
    {"--strided", true, storeStep<StridedPart>},
    {"--fixed", true, storeStep<FixedPart>},
    {"--random", true, storeRandom},
    {"--dense", false,
     [](const OptionText &, Pending &p) {
       addPart(p, DensePart());
       return Status();
     }},
    {"--causal", false,
     [](const OptionText &, Pending &p) {
       p.options.spec.isCausal = true;
       return Status();
     }},
    {"--rows", true,
     [](const OptionText &o, Pending &p) {
       return parseCount(o, p.options.spec.rows, 1);
     }},
    {"--cols", true,
     [](const OptionText &o, Pending &p) {
       return parseCount(o, p.options.spec.cols, 1);
     }},
    {"--diagonal", true,
     [](const OptionText &o, Pending &p) {
       return parseNumber(o, p.options.spec.diagonal);
     }},
    {"--pad", false,
     [](const OptionText &, Pending &p) {
       p.options.spec.padRows = true;
       return Status();
     }},
    {"--vector", true,
     [](const OptionText &o, Pending &p) {
       return parseNumber(o, p.options.encoding.vector);
     }},
    {"--keep", true, storeRule},
    {"--stride", true,
     [](const OptionText &o, Pending &p) {
       return parseNumber(o, p.options.encoding.stride);
     }},
    {"--index", true, storeIndex},
    {"--out", true, storeOut},
    {"--statistics", true, storeStatistics},
    {"--seed", true,
     [](const OptionText &o, Pending &p) { return parseNumber(o, p.seed); }},
};

static const OptionRow *lookUp(const std::string &name) {
  for (const OptionRow &row : optionRows)
    if (row.name == name)
      return &row;
  return nullptr;
}

/// Stores one word; `given` has the options before it.
static Status parseWord(const std::string &word, std::set<std::string> &given,
                        Pending &pending) {
  size_t equals = word.find('=');
  OptionText option{word.substr(0, equals), ""};
  const OptionRow *row = lookUp(option.name == "-h" ? "--help" : option.name);
  if (!row)
    return Error{"unknown argument '" + word + "'", seeHelp};
  if (!given.insert(row->name).second)
    return Error{option.name + " is given twice", ""};
  if (equals != std::string::npos)
    option.value = word.substr(equals + 1);
  if (row->takesValue && option.value.empty())
    return Error{option.name + " expects a value",
                 "write " + option.name + "=VALUE"};
  if (!row->takesValue && equals != std::string::npos)
    return Error{option.name + " takes no value, but got '" + option.value +
                     "'",
                 seeHelp};
  return row->store(option, pending);
}

/// What options say together.
static Status complete(Pending &pending) {
  PatternOptions &options = pending.options;
  PatternSpec &spec = options.spec;
  bool hasMask = !options.mask.empty() || !options.blockMask.empty();
  if (spec.parts.empty() && !hasMask) {
    if (!spec.isCausal)
      return Error{"nothing to keep",
                   "give --mask, --window, --random, --causal or another of "
                   "magicube-pattern --help"};
    spec.parts.emplace_back(DensePart());
  }
  if (options.blockMask.empty() != (options.blockRows == 0))
    return options.blockMask.empty()
               ? Error{"--block goes with --block-mask", seeHelp}
               : Error{"--block-mask needs the size of a block",
                       "for example --block=64x128"};
  if (spec.rows == 0 && !hasMask)
    return Error{"the number of rows is not known", "give --rows"};
  if (spec.cols == 0 && !hasMask)
    spec.cols = spec.rows;
  for (PatternPart &part : spec.parts)
    if (auto *random = std::get_if<RandomPart>(&part))
      random->seed = pending.seed;
  spec.vector = options.encoding.vector;
  return options.encoding.verify();
}

Result<PatternOptions>
mlir::magicube::parseCommandLine(const std::vector<std::string> &words) {
  Pending pending;
  std::set<std::string> given;
  for (const std::string &word : words)
    if (Status s = parseWord(word, given, pending); !s)
      return s.error();
  if (!pending.options.help)
    if (Status s = complete(pending); !s)
      return s.error();
  return std::move(pending.options);
}
