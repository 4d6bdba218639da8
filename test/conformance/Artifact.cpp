//===- Artifact.cpp - What travels to the GPU machine ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artifact.h"

#include "magicube/Format/FileIO.h"

#include <cstring>

using namespace mlir::magicube;
using namespace mlir::magicube::conformance;

Status conformance::writeArtifact(const std::string &folder,
                                  const Artifact &artifact) {
  Json modules = Json::array(), kernels = Json::array();
  for (const ModuleRow &row : artifact.modules)
    modules.push_back(Json{{"minimum", row.minCapability},
                           {"fatbin", row.fatbin},
                           {"bitcode", row.bitcode}});
  for (const KernelRow &row : artifact.kernels)
    kernels.push_back(Json{{"name", row.name},
                           {"module", row.module},
                           {"threads", row.threads},
                           {"blocks", row.blocks},
                           {"shared_memory", row.sharedBytes},
                           {"input", row.input},
                           {"input_words", row.inputWords},
                           {"expected", row.expected},
                           {"expected_words", row.expectedWords}});
  Json manifest =
      Json{{"modules", std::move(modules)}, {"kernels", std::move(kernels)}};
  std::string data(artifact.data.size() * sizeof(uint32_t), '\0');
  std::memcpy(data.data(), artifact.data.data(), data.size());
  if (Status s = writeFile(folder + "/" + kDataFile, data); !s)
    return s;
  return writeFile(folder + "/" + kManifestFile,
                   toJson(manifest, /*indent=*/1) + "\n");
}

static KernelRow readKernel(const JsonNode &node, size_t numModules,
                            int64_t numWords) {
  KernelRow row;
  auto integer = [&](const char *key, int64_t max) {
    return static_cast<uint64_t>(node[key].integer(0, max));
  };
  constexpr int64_t maxSize = 1 << 20;
  row.name = node["name"].string();
  row.module = integer("module", static_cast<int64_t>(numModules) - 1);
  row.threads = static_cast<unsigned>(integer("threads", maxSize));
  row.blocks = static_cast<unsigned>(integer("blocks", maxSize));
  row.sharedBytes = static_cast<unsigned>(integer("shared_memory", maxSize));
  row.input = integer("input", numWords);
  row.inputWords =
      integer("input_words", numWords - static_cast<int64_t>(row.input));
  row.expected = integer("expected", numWords);
  row.expectedWords =
      integer("expected_words", numWords - static_cast<int64_t>(row.expected));
  return row;
}

Result<Artifact> conformance::readArtifact(const std::string &folder) {
  std::string path = folder + "/" + kManifestFile;
  Result<std::string> text = readFile(path);
  Result<std::string> data = readFile(folder + "/" + kDataFile);
  for (const Result<std::string> *file : {&text, &data})
    if (!*file)
      return file->error();
  Result<Json> json = parseJson(*text, path);
  if (!json)
    return json.error();

  Artifact artifact;
  artifact.data.resize(data->size() / sizeof(uint32_t));
  std::memcpy(artifact.data.data(), data->data(),
              artifact.data.size() * sizeof(uint32_t));
  Status problem;
  JsonNode root(*json, path, problem);
  for (const JsonNode &node : root["modules"].elements()) {
    constexpr int64_t maxCapability = 999;
    artifact.modules.push_back(
        {static_cast<unsigned>(node["minimum"].integer(0, maxCapability)),
         node["fatbin"].string(), node["bitcode"].string()});
  }
  if (artifact.modules.empty())
    root["modules"].fail("expected at least one module");
  if (problem)
    for (const JsonNode &node : root["kernels"].elements())
      artifact.kernels.push_back(
          readKernel(node, artifact.modules.size(),
                     static_cast<int64_t>(artifact.data.size())));
  if (!problem)
    return problem.error();
  return artifact;
}
