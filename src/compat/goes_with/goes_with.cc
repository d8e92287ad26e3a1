#include "compat/goes_with/goes_with.h"

#include "compat/words.h"
#include "knowledge/driver.h"
#include "knowledge/packages/distributions.h"

namespace culprit::compat {

void ListWhatGoesWith(const CompatQuestion& question, report::CompatAnswer& answer) {
  if (question.cuda) {
    answer.about = CudaWords(question);
    ListOfCuda(question, answer);
  } else if (question.driver) {
    answer.about = DriverWords(question);
    answer.goes_with = LinesOfDriver(question);
    if (knowledge::IsNewerThanTable(*question.driver, question.DriverPlatform())) {
      answer.notes.push_back("this driver is newer than the tables of culprit (" +
                             std::string(knowledge::KnowledgeDate()) + "); it supports at least this");
    }
  } else if (question.cc) {
    answer.about = GpuWords(question);
    answer.goes_with = LinesOfGpu(question);
  } else if (question.cudnn) {
    answer.about = CudnnWords(question);
    answer.goes_with = LinesOfCudnn(question);
  } else if (question.python) {
    answer.about = "Python " + question.python->ToString();
    answer.goes_with = LinesOfPython(question);
  } else if (question.cuda_compat) {
    answer.about = CudaCompatWords(question);
    answer.goes_with = LinesOfCudaCompat(*question.cuda_compat);
  } else if (!question.packages.empty()) {
    answer.about = question.packages.front().shown;
    ListOfPackage(question, answer);
  } else if (question.gcc || question.clang || question.msvc) {
    answer.about = question.gcc     ? "gcc " + question.gcc->ToString()
                   : question.clang ? "clang " + question.clang->ToString()
                                    : question.msvc_name;
    answer.goes_with = LinesOfCompiler(question);
  } else {
    answer.about = GpuWords(question);  // one that no table has
  }
  if (answer.goes_with.empty() && !answer.about.empty())
    answer.notes.push_back(answer.about + " is not in the table");
}

}  // namespace culprit::compat
