#include "s3/answers.h"

#include "s3/xml.h"

#include <gtest/gtest.h>

namespace holdfast::blob {
namespace {

std::string read_all(std::string_view text) {
  std::string out;
  const Result<void> read = read_xml(text, [&out](XmlPath path, const std::string& inside) {
    for (const std::string_view name : path) out += "/" + std::string(name);
    out += "=" + inside + " ";
  });
  return read ? out : read.error().what();
}

TEST(Xml, ElementsEndWithTheirText) {
  EXPECT_EQ(read_all("<?xml version=\"1.0\"?>\n<a><!-- c --><b x='>'>1</b><c/>t</a>\n"),
            "/a/b=1 /a/c= /a=t ");
  EXPECT_EQ(read_all("<s3:a xmlns:s3=\"u\"><s3:b>x</s3:b ></s3:a>"), "/a/b=x /a= ");
}

TEST(Xml, EntitiesAndSectionsAreUndone) {
  EXPECT_EQ(read_all("<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;<![CDATA[<&]]></a>"),
            "/a=<>&\"'A\xf0\x9f\x98\x80<& ");
}

TEST(Xml, WhatIsNotWellFormedIsRefused) {
  for (const char* text :
       {"", "x", "<a>", "<a></b>", "</a>", "<a/><b/>", "<a>&nbsp;</a>", "<a>&#0;</a>",
        "<a>&#xD800;</a>", "<a>&amp</a>", "<!DOCTYPE a [<!ENTITY x \"y\">]><a/>", "<a", "< >",
        "<a><!-- </a>", "<a><![CDATA[</a>"})
    EXPECT_EQ(read_all(text).substr(0, 4), "XML:") << text;
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "<a>";
  EXPECT_NE(read_all(deep).find("too many levels"), std::string::npos);
}

TEST(Answers, AListHasItsEntriesAndWhereItGoesOn) {
  const Result<ListPage> page = read_list(
      R"(<ListBucketResult xmlns="u"><Name>b</Name><Prefix>p/</Prefix><EncodingType>url</EncodingType>
         <IsTruncated>true</IsTruncated><NextContinuationToken>t&amp;1</NextContinuationToken>
         <Contents><Key>p/a%2Fb+c%2B</Key><Size>12</Size><ETag>"e"</ETag>
           <Owner><ID>Key</ID></Owner></Contents>
         <Contents><Key>p/d</Key><Size>0</Size></Contents></ListBucketResult>)");

  ASSERT_TRUE(page) << page.error().what();
  ASSERT_EQ(page->entries.size(), 2U);
  EXPECT_EQ(page->entries[0].name, "p/a/b c+");
  EXPECT_EQ(page->entries[0].size, 12U);
  EXPECT_EQ(page->next, "t&1");
}

TEST(Answers, AListThatLiesIsRefused) {
  for (const char* text :
       {"<html/>", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>"})
    EXPECT_EQ(read_list(text).error().fault(), Fault::Corrupt) << text;
  EXPECT_TRUE(read_list("<ListBucketResult><IsTruncated>false</IsTruncated>"
                        "<NextContinuationToken>x</NextContinuationToken></ListBucketResult>")
                  ->next.empty());
}

TEST(Answers, AnErrorSaysItsCode) {
  const auto error = read_error(
      "<Error><Code>SlowDown</Code><Message>Please "
      "reduce</Message><RequestId>7</RequestId></Error>");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, "SlowDown");
  EXPECT_EQ(error->message, "Please reduce");
  EXPECT_EQ(error->request_id, "7");
  EXPECT_FALSE(read_error("<html><body>502</body></html>"));
  EXPECT_FALSE(read_error(""));
}

TEST(Answers, ADeleteResultNamesWhatStayed) {
  const auto stayed = read_delete_result(
      "<DeleteResult><Deleted><Key>a</Key></Deleted><Error><Key>b</Key><Code>AccessDenied</Code>"
      "<Message>no</Message></Error><Error><Key>c</Key></Error></DeleteResult>");
  ASSERT_TRUE(stayed);
  ASSERT_EQ(stayed->size(), 2U);
  EXPECT_EQ((*stayed)[0].key, "b");
  EXPECT_EQ((*stayed)[0].code, "AccessDenied");
  EXPECT_EQ((*stayed)[1].code, "") << "fields of the one before do not leak";
  EXPECT_FALSE(read_delete_result("<Error/>"));
}

TEST(Answers, RequestsEscapeWhatTheyName) {
  const std::string keys[] = {"a<b>&c"};
  EXPECT_NE(delete_request(keys).find("<Key>a&lt;b&gt;&amp;c</Key>"), std::string::npos);
  const std::string etags[] = {"\"x\"", "\"y\""};
  EXPECT_NE(complete_request(etags).find("<PartNumber>2</PartNumber><ETag>\"y\"</ETag>"),
            std::string::npos);
  EXPECT_EQ(*read_upload("<InitiateMultipartUploadResult><UploadId>u</UploadId>"
                         "</InitiateMultipartUploadResult>"),
            "u");
  EXPECT_FALSE(read_upload("<a><UploadId>u</UploadId></a>"));
}

}  // namespace
}  // namespace holdfast::blob
