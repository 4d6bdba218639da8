//===- Options.cpp - The command line of magicube-launch ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of options, without LLVM.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <charconv>

using namespace mlir::magicube;

const char *const mlir::magicube::launchHelp =
    R"(usage: magicube-launch BUNDLE --arg=VALUE... [options]
       magicube-launch --cases=FILE [options]

Runs a bundle of magicube-compile --emit=bundle on a device.

one run:
  --arg=VALUE       argument, in order: a .mtx or .smtx file (or .mtx.gz,
                    .smtx.gz) or random:MxK@density for a sparse type, a .npy
                    file or random[:RxC] for a dense one
  --out=FILE        file for the next result (.npy; a sparse one: .mtx, or .npy
                    for NAME.pointers.npy, NAME.indices.npy, NAME.values.npy)
  --check           compare every element with a plain reference; exit 1 if
                    one differs
  --check-projection
                    the same for large products: compare the products of the
                    result and two random vectors, exactly modulo 2^32
  --expected=FILE   compare every element of a dense result, the first one,
                    with a .npy file
  --seed=N          seed of random values (default 0)
  --repeat=N        measure the kernel: median of N graph replays
  --rotate-bytes=N  run on as many copies of operands and result, two at least,
                    as take N bytes: launches that are measured use them in
                    turn and, with N well above the size of the L2, find none
                    of them there
  --name=TEXT       a label for reports

all runs:
  --device=NAME     cuda (default) or sim (the host; needs a bundle for sim)
  --ordinal=N       cuda: number of the GPU
  --warp-order=WORD sim: order of warps: forward, reverse or random
  --async-copy=WORD sim: when cp.async lands: at its issue or at its wait
  --cases=FILE      one run a line, with the options of one run; prints a JSON
                    object a line; exit 1 if one run failed
  --time-load       print the times of driver start, load and first launch
  --help            print this
)";

namespace {

/// An option's value, or the lack of one.
struct OptionText {
  std::string name;
  std::optional<std::string> value;
};

} // namespace

static OptionText splitOption(const std::string &word) {
  size_t equals = word.find('=');
  if (equals == std::string::npos)
    return {word, std::nullopt};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

template <typename Integer>
static Status parseInteger(const OptionText &option, Integer &result) {
  const std::string &text = *option.value;
  const char *end = text.data() + text.size();
  auto [rest, code] = std::from_chars(text.data(), end, result);
  if (code == std::errc() && rest == end && !text.empty())
    return {};
  return Error{option.name + " expects a number, but got '" + text + "'",
               "for example " + option.name + "=10"};
}

/// Stores an option of one run; false if it is none.
static Result<bool> parseCaseOption(const OptionText &option,
                                    CaseOptions &run) {
  const std::string &name = option.name;
  if (name.empty() || name[0] != '-') {
    if (!run.bundle.empty())
      return Error{"expected one bundle, but got '" + run.bundle + "' and '" +
                       name + "'",
                   "give arguments with --arg"};
    run.bundle = option.value ? name + "=" + *option.value : name;
    return true;
  }
  const std::pair<const char *, bool *> flags[] = {
      {"--check", &run.check}, {"--check-projection", &run.checkProjection}};
  for (auto [text, target] : flags) {
    if (name != text)
      continue;
    *target = true;
    return option.value
               ? Result<bool>(Error{name + " takes no value, but got '" +
                                    *option.value + "'"})
               : true;
  }
  const std::pair<const char *, std::string *> texts[] = {
      {"--expected", &run.expected}, {"--name", &run.name}};
  const std::pair<const char *, std::vector<std::string> *> lists[] = {
      {"--arg", &run.args}, {"--out", &run.outs}};
  bool isKnown =
      name == "--seed" || name == "--repeat" || name == "--rotate-bytes";
  for (auto [text, target] : texts)
    isKnown |= name == text;
  for (auto [text, target] : lists)
    isKnown |= name == text;
  if (!isKnown)
    return false;
  if (!option.value || option.value->empty())
    return Error{name + " expects a value", "write " + name + "=VALUE"};
  for (auto [text, target] : texts)
    if (name == text)
      *target = *option.value;
  for (auto [text, target] : lists)
    if (name == text)
      target->push_back(*option.value);
  Status status;
  if (name == "--seed")
    status = parseInteger(option, run.seed);
  if (name == "--repeat")
    status = parseInteger(option, run.repeat);
  if (name == "--rotate-bytes")
    status = parseInteger(option, run.rotateBytes);
  return status ? Result<bool>(true) : status.error();
}

/// Stores an option of all runs.
static Status parseGlobalOption(const OptionText &option,
                                LaunchOptions &options) {
  const std::string &name = option.name;
  if (name == "--help" || name == "-h") {
    options.help = true;
    return {};
  }
  if (name == "--time-load") {
    options.timeLoad = true;
    return {};
  }
  constexpr const char *deviceKeys[] = {"ordinal", "warp-order", "async-copy"};
  for (const char *key : deviceKeys)
    if (name == std::string("--") + key && option.value) {
      options.deviceOptions.emplace_back(key, *option.value);
      return {};
    }
  if (name == "--device" && option.value) {
    options.device = *option.value;
    return {};
  }
  if (name == "--cases" && option.value) {
    options.cases = *option.value;
    return {};
  }
  return Error{"unknown option '" + name + "'" +
                   (option.value ? "" : " or one that lacks its value"),
               "see magicube-launch --help"};
}

Result<LaunchOptions>
mlir::magicube::parseCommandLine(const std::vector<std::string> &words) {
  LaunchOptions options;
  for (const std::string &word : words) {
    OptionText option = splitOption(word);
    Result<bool> isCase = parseCaseOption(option, options.run);
    if (!isCase)
      return isCase.error();
    if (*isCase)
      continue;
    if (Status s = parseGlobalOption(option, options); !s)
      return s.error();
  }
  if (options.help)
    return options;
  bool hasRun = !options.run.bundle.empty() || !options.run.args.empty();
  if (options.cases.empty() && options.run.bundle.empty())
    return Error{"no bundle given", "see magicube-launch --help"};
  if (!options.cases.empty() && hasRun)
    return Error{"--cases takes all runs from a file, but there is one on the "
                 "command line too",
                 "move it to the file"};
  return options;
}

/// Splits at blanks outside of double quotes.
static std::vector<std::string> splitWords(const std::string &text) {
  std::vector<std::string> words;
  std::string word;
  bool isQuoted = false, isWord = false;
  for (char c : text) {
    if (c == '"') {
      isQuoted = !isQuoted;
      isWord = true;
    } else if (!isQuoted && (c == ' ' || c == '\t' || c == '\r')) {
      if (isWord)
        words.push_back(std::move(word));
      word.clear();
      isWord = false;
    } else {
      word += c;
      isWord = true;
    }
  }
  if (isWord)
    words.push_back(std::move(word));
  return words;
}

Result<CaseOptions> mlir::magicube::parseCaseLine(const std::string &text,
                                                  const std::string &name,
                                                  size_t line) {
  std::string place = name + ":" + std::to_string(line) + ": ";
  CaseOptions run;
  for (const std::string &word : splitWords(text)) {
    Result<bool> isCase = parseCaseOption(splitOption(word), run);
    if (!isCase)
      return Error{place + isCase.error().message, isCase.error().note};
    if (!*isCase)
      return Error{place + "unknown option '" + word + "'",
                   "a line has options of one run; see magicube-launch --help"};
  }
  if (run.bundle.empty())
    return Error{place + "no bundle given"};
  return run;
}
